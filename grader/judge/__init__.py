"""The trusted side: starts workers, routes what they send, runs the checks, and decides."""
