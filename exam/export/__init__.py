"""Variants in the formats that learning platforms import."""
