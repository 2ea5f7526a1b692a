"""What an item of the bank may say: one model, from which the JSON Schema for editors is made too."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Word = Annotated[str, Field(min_length=1)]
Scalar = bool | int | float | str


class _Strict(BaseModel):
    """Nothing unknown, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Parameter(_Strict):
    """How a parameter is drawn: exactly one of these, or a value that follows from others."""

    choice: list[Scalar] | None = Field(None, min_length=1, description="One of these.")
    integer: tuple[int, int] | None = Field(None, description="A whole number from the first to the second.")
    step: int | None = Field(None, ge=1, description="With integer: only every so manieth.")
    real: tuple[float, float] | None = Field(None, description="A number between two bounds.")
    log: tuple[float, float] | None = Field(None, description="A number whose logarithm is uniform.")
    figures: int | None = Field(None, ge=1, le=9, description="With real and log: significant figures; 3 by default.")
    value: Scalar | None = Field(None, description="What follows from the parameters above: an expression.")

    @model_validator(mode="before")
    @classmethod
    def _pairs(cls, data: Any) -> Any:
        """YAML has lists where pairs are meant."""
        if not isinstance(data, dict):
            return data
        pairs = {k: tuple(v) for k, v in data.items() if k in ("integer", "real", "log") and isinstance(v, list)}
        return {**data, **pairs}

    @model_validator(mode="after")
    def _one_way(self) -> Parameter:
        ways = [name for name in ("choice", "integer", "real", "log", "value") if getattr(self, name) is not None]
        if len(ways) != 1:
            raise ValueError("needs exactly one of choice, integer, real, log and value")
        for pair in (self.integer, self.real, self.log):
            if pair is not None and not pair[0] < pair[1]:
                raise ValueError(f"the first bound must be below the second, not {list(pair)}")
        if self.log is not None and self.log[0] <= 0:
            raise ValueError("log needs positive bounds")
        return self


class Tolerance(_Strict):
    """How far an answer may be off: the larger of relative and absolute; or so many figures; or a range."""

    relative: float | None = Field(None, gt=0, lt=0.5)
    absolute: float | None = Field(None, gt=0)
    figures: int | None = Field(None, ge=1, le=9)
    range: list[float | str] | None = Field(None, min_length=2, max_length=2)

    @model_validator(mode="after")
    def _one_rule(self) -> Tolerance:
        rules = [
            self.relative is not None or self.absolute is not None,
            self.figures is not None,
            self.range is not None,
        ]
        if sum(rules) != 1:
            raise ValueError("needs relative or absolute (or both), or figures, or range")
        return self


class NumberAnswer(_Strict):
    """A number that is computed."""

    value: float | int | str = Field(description="A number, or an expression between double braces.")
    unit: str = ""
    figures: int = Field(0, ge=0, le=9, description="Significant figures that the stem asks for.")
    decimals: int = Field(-1, ge=-1, le=9, description="Decimal places that the stem asks for.")
    tolerance: Tolerance | None = None
    decimal_comma: bool = False

    @model_validator(mode="after")
    def _rounds_once(self) -> NumberAnswer:
        if self.figures and self.decimals >= 0:
            raise ValueError("figures and decimals contradict each other: name one")
        return self


class NamedMistake(_Strict):
    """A wrong number: of a known misconception, or of an expression of its own."""

    name: Word
    value: float | int | str | None = Field(
        None, description="An expression; by default the misconception's own value."
    )
    feedback: str = Field("", description="By default the misconception's hint.")


class TextMistake(_Strict):
    """A wrong text that shows a wrong idea."""

    text: Word
    misconception: Word
    feedback: str = ""


class WrittenOption(_Strict):
    """An option in the author's words."""

    text: Word
    correct: bool = False
    feedback: str = ""
    misconception: str = Field("", description="The wrong idea that choosing it shows: a wrong option names one.")
    pinned: bool = Field(False, description="Stays last.")


class WrittenPair(_Strict):
    """A left side and what belongs to it."""

    left: Word
    right: Word


class Step(_Strict):
    """One thing to put in order."""

    text: Word
    feedback: str = ""


class _Item(_Strict):
    """What all items say."""

    id: Annotated[str, Field(pattern=r"^l\d\d-[a-z0-9]+(-[a-z0-9]+)*$")] = Field(description="l07-state-bytes")
    outcome: Annotated[str, Field(pattern=r"^\d{1,2}[a-z]$")] = Field(description="7a")
    difficulty: Annotated[int, Field(ge=1, le=3)]
    minutes: Annotated[int, Field(ge=1, le=30)]
    points: Annotated[int, Field(ge=1, le=20)] = 1
    pool: Literal["practice", "exam"]
    source: Word = Field(description="Where the fact comes from.")
    exercise: str = Field("", description="The exercise that practises this.")
    reading: str = ""
    family: str = Field("", description="Items of one family don't stand in one exam.")
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    where: list[str] = Field(default_factory=list, description="Expressions that every draw must fulfil.")
    stem: Word
    explanation: Word


class NumericItem(_Item):
    """A number is typed."""

    type: Literal["numeric"]
    answer: NumberAnswer
    mistakes: list[str | NamedMistake] = Field(default_factory=list)

    @model_validator(mode="after")
    def _says_how_exact(self) -> NumericItem:
        if self.answer.tolerance is None and not self.answer.figures and self.answer.decimals < 0:
            raise ValueError("the answer needs a tolerance, or figures or decimals that the stem asks for")
        return self


class SingleItem(_Item):
    """One option is right: written ones, or numbers computed from an answer and its mistakes."""

    type: Literal["single"]
    answer: NumberAnswer | None = None
    mistakes: list[str | NamedMistake] = Field(default_factory=list)
    options: list[WrittenOption] = Field(default_factory=list)
    shuffle: bool = True

    @model_validator(mode="after")
    def _one_kind(self) -> SingleItem:
        if (self.answer is None) == (not self.options):
            raise ValueError("needs options, or an answer with mistakes")
        if self.answer is not None and len(self.mistakes) < 2:
            raise ValueError("needs at least two mistakes for its wrong options")
        if self.answer is not None and not self.answer.figures and self.answer.decimals < 0:
            raise ValueError("the answer needs figures or decimals, to print the options")
        if self.options and [option.correct for option in self.options].count(True) != 1:
            raise ValueError("needs exactly one option that is correct")
        return self


class MultipleItem(_Item):
    """Any number of options is right, at least one."""

    type: Literal["multiple"]
    options: list[WrittenOption] = Field(min_length=3)
    policy: Literal["all_or_nothing", "balanced", "right_minus_wrong"] = "balanced"
    shuffle: bool = True

    @model_validator(mode="after")
    def _some_are_right(self) -> MultipleItem:
        if len({option.correct for option in self.options}) != 2:
            raise ValueError("needs an option that is correct and one that is not")
        return self


class TrueFalseItem(_Item):
    """A statement is true or false."""

    type: Literal["true_false"]
    answer: bool | str = Field(description="true, false, or an expression.")
    feedback: dict[Literal["true", "false"], str] = Field(default_factory=dict, description="For who chose it.")
    misconception: Word = Field(description="The wrong idea that the wrong choice shows.")


class TextAnswer(_Strict):
    """The texts that are right."""

    accept: list[Word] = Field(min_length=1)
    case_sensitive: bool = False


class TextItem(_Item):
    """A short text is typed."""

    type: Literal["text"]
    answer: TextAnswer
    mistakes: list[TextMistake] = Field(default_factory=list)


class MatchingItem(_Item):
    """Each left side has its right one."""

    type: Literal["matching"]
    pairs: list[WrittenPair] = Field(min_length=2, max_length=10)
    distractors: list[Word] = Field(default_factory=list)
    policy: Literal["all_or_nothing", "per_part"] = "per_part"


class OrderingItem(_Item):
    """Steps are put in order."""

    type: Literal["ordering"]
    order: list[str | Step] = Field(min_length=3, max_length=8)
    policy: Literal["all_or_nothing", "per_part"] = "all_or_nothing"


Item = NumericItem | SingleItem | MultipleItem | TrueFalseItem | TextItem | MatchingItem | OrderingItem
AnyItem = Annotated[Item, Field(discriminator="type")]


class BankFile(_Strict):
    """A file of the bank.

    Attributes:
        ideas: Wrong ideas that no code shows, by name, with the hint that leads out of them.
    """

    title: str = Field("", description="For people.")
    ideas: dict[str, Word] = Field(default_factory=dict)
    items: list[AnyItem]
