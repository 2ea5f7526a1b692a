"""Graders of exported files, written from the rules of their consumers: nothing of the exporters is in them."""
