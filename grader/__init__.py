"""From a submission to a result: the grader of AI-480."""

__version__ = "0.1.0"
