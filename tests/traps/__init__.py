"""Submissions that fool other graders, and honest ones that other graders punish."""
