"""What a response to a variant is worth: one function, in exact arithmetic. Everything that grades, grades through it.

``score(variant, response)`` never fails: a response of another form is worth nothing, and ``problem`` says why.
"""

from exam.scoring.scorer import Score, score

__all__ = ["Score", "score"]
