"""The untrusted side: what runs student code. The standard library and numpy only; the judge starts it by path."""
