"""The untrusted side: what runs student code. The standard library and numpy only; started by path, never imported by name."""
