"""How a check falls short, as exceptions with the words for the student."""

from __future__ import annotations

from grader.results import Outcome

RETURNS_NONE = "It returned None. Is there a return? What works in place returns its result as well."


class CheckFailed(AssertionError):
    """A statement of a check that does not hold for the submission.

    Attributes:
        outcome: What kind of failure it is.
        what: The quantity that was looked at ("what each rank returned"); "" for the call's own result.
        returned: What there was.
        expected: What there should be; "" where that says more than can be said.
        message: Prose that stands by itself.
        compared: Whether a value that came back was compared, perhaps of an earlier call than the last one.
    """

    def __init__(
        self,
        returned: str,
        expected: str = "",
        *,
        what: str = "",
        message: str = "",
        outcome: Outcome = Outcome.WRONG,
        compared: bool = False,
    ) -> None:
        """A failure of a kind, in words."""
        super().__init__(message or f"{what or 'it'}: {returned}; expected {expected}")
        self.returned, self.expected, self.what = returned, expected, what
        self.message, self.outcome, self.compared = message, outcome, compared


class Unfinished(BaseException):
    """Ends the search of a check at once, through hypothesis: the submission timed out, died, or was not started.

    Attributes:
        failure: What to tell the student.
    """

    def __init__(self, failure: CheckFailed) -> None:
        """End with a failure."""
        super().__init__(str(failure))
        self.failure = failure
