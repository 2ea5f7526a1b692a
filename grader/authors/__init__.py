"""What authors of content need: stubs from solutions, and proof that the checks do what they should."""
