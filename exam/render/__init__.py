"""Variants for people: pages and papers."""
