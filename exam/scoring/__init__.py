"""What a response to a variant is worth, in decimal arithmetic."""
