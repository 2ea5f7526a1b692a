"""Moodle's XML for its question bank: a category for each item that has several variants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal

from exam.export.bounds import middle_and_tolerance
from exam.export.targets import Capability, degraded, refused
from exam.export.xml import Element, document, element
from exam.render.markdown import convert_all, to_html
from exam.variants import Kind, Option, Policy, Slot, Variant, VariantSet
from grader.handout import readable

SUFFIX = ".xml"
POOLS = True

MOST_SHARES = 10  # Moodle knows the fractions 1/1 to 1/10
LEAST_WIDTH = Decimal("1e-12")  # Moodle widens every tolerance by about 1e-14


def capability(variant: Variant) -> Capability:
    """What Moodle grades otherwise than we do."""
    if variant.kind is Kind.MULTIPLE:
        return _of_multiple(variant)
    if variant.number is not None:
        width = Decimal(variant.number.high) - Decimal(variant.number.low)
        tiny = f"the tolerance is below {LEAST_WIDTH}, which Moodle widens" if width < LEAST_WIDTH else ""
        comma = "the language of the site decides about the decimal comma" if variant.number.decimal_comma else ""
        return degraded(tiny, comma)
    if variant.kind is Kind.MATCHING and variant.policy is Policy.ALL_OR_NOTHING:
        return degraded("Moodle pays for each pair")
    return degraded()


def _of_multiple(variant: Variant) -> Capability:
    right = sum(option.correct for option in variant.options)
    wrong = len(variant.options) - right
    if right > MOST_SHARES or wrong > MOST_SHARES:
        return refused(f"Moodle has no fraction for more than {MOST_SHARES} right or wrong options")
    if variant.policy is Policy.ALL_OR_NOTHING:
        return degraded("" if right == 1 else "Moodle pays for each right option") if wrong else degraded("")
    if variant.policy is Policy.RIGHT_MINUS_WRONG and wrong < right:
        return degraded("everything selected is worth something")
    return degraded()


def write(quiz: VariantSet) -> bytes:
    """The file."""
    convert_all(quiz)
    root = element("quiz")
    for slot in quiz.slots:
        root.extend(_slot(quiz, slot))
    return document(root)


def _slot(quiz: VariantSet, slot: Slot) -> Iterator[Element]:
    name = f"$course$/top/{_category(quiz.title)}"
    if len(slot.variants) > 1:  # a quiz takes one random question of the category
        name += f"/{slot.item}"
    yield element("question", element("category", element("text", name)), type="category")
    for variant in slot.variants:
        yield _question(variant, pooled=len(slot.variants) > 1)


def _category(title: str) -> str:
    return title.replace("/", "//")


def _question(variant: Variant, *, pooled: bool) -> Element:
    kind, parts = _KINDS[variant.kind](variant)
    code = f" {variant.code}" if pooled else ""
    return element(
        "question",
        element("name", element("text", f"{variant.item}{code}")),
        _html("questiontext", variant.stem, f"<p><small>{variant.code}</small></p>" if pooled else ""),
        _html("generalfeedback", variant.explanation),
        element("defaultgrade", str(variant.points)),
        element("penalty", "0"),
        element("hidden", "0"),
        element("idnumber", f"{variant.item}-{variant.draw}"),
        *parts,
        _tags(variant),
        type=kind,
    )


def _html(tag: str, markdown: str, more: str = "") -> Element:
    (text,) = to_html([markdown], "tex")
    return element(tag, element("text", text + more), format="html")


def _feedback(markdown: str, misconception: str) -> Element:
    (text,) = to_html([markdown], "tex") if markdown else ("",)
    if misconception:  # its name survives, for a report over what was chosen
        text = f'<div class="misconception-{misconception}">{text}</div>'
    return element("feedback", element("text", text), format="html")


def _tags(variant: Variant) -> Element:
    names = (f"outcome {variant.outcome}", f"difficulty {variant.difficulty}", str(variant.pool))
    return element("tags", *(element("tag", element("text", name)) for name in names))


def _choice(variant: Variant) -> tuple[str, list[Element]]:
    shuffle = variant.shuffle and not any(option.pinned for option in variant.options)
    head = [
        element("single", "false" if variant.kind is Kind.MULTIPLE else "true"),
        element("shuffleanswers", "true" if shuffle else "false"),
        element("answernumbering", "abc"),
    ]
    return "multichoice", head + [_option(variant, option) for option in variant.options]


def _option(variant: Variant, option: Option) -> Element:
    (text,) = to_html([option.text], "tex")
    feedback = _feedback(option.feedback, option.misconception)
    return element("answer", element("text", text), feedback, fraction=fraction(variant, option), format="html")


def fraction(variant: Variant, option: Option) -> str:
    """What choosing an option adds, in percent, as Moodle writes it."""
    right = sum(each.correct for each in variant.options)
    wrong = len(variant.options) - right
    if option.correct:
        return _percent(right)
    if variant.kind is not Kind.MULTIPLE:
        return "0"
    if variant.policy is Policy.ALL_OR_NOTHING:
        return "-100"
    return "-" + _percent(wrong if variant.policy is Policy.BALANCED else right)


def _percent(parts: int) -> str:
    return format(round(Decimal(100) / parts, 5).normalize() + 0, "f")


def _true_false(variant: Variant) -> tuple[str, list[Element]]:
    answers = [
        element(
            "answer",
            element("text", option.id),  # in small letters: with capitals Moodle guesses
            _feedback(option.feedback, option.misconception),
            fraction="100" if option.correct else "0",
            format="moodle_auto_format",
        )
        for option in variant.options
    ]
    return "truefalse", answers


def _numeric(variant: Variant) -> tuple[str, list[Element]]:
    key = variant.number
    assert key is not None
    answers = [_number("100", *middle_and_tolerance(key))]
    for mistake in key.mistakes:
        answers.append(_number("0", *middle_and_tolerance(mistake), mistake.feedback, mistake.misconception))
    if key.unit:
        unit = element("unit", element("multiplier", "1"), element("unit_name", key.unit))
        answers.append(element("units", unit))
    grading = [
        element("unitgradingtype", "0"),
        element("unitpenalty", "0"),
        element("showunits", "0" if key.unit else "3"),
    ]
    return "numerical", answers + grading + [element("unitsleft", "0")]


def _number(fraction: str, value: str, tolerance: str, feedback: str = "", misconception: str = "") -> Element:
    told = _feedback(feedback, misconception)
    text = element("text", value)
    return element(
        "answer", text, told, element("tolerance", tolerance), fraction=fraction, format="moodle_auto_format"
    )


def _text(variant: Variant) -> tuple[str, list[Element]]:
    key = variant.text
    assert key is not None
    answers = [(accepted, "100", "", "") for accepted in key.accept]
    answers += [(mistake.value, "0", mistake.feedback, mistake.misconception) for mistake in key.mistakes]
    found = [
        element(
            "answer",
            element("text", text.replace("\\", "\\\\").replace("*", r"\*")),  # a star stands for anything
            _feedback(feedback, misconception),
            fraction=fraction,
            format="moodle_auto_format",
        )
        for text, fraction, feedback, misconception in answers
    ]
    return "shortanswer", [element("usecase", "1" if key.case_sensitive else "0"), *found]


def _matching(variant: Variant) -> tuple[str, list[Element]]:
    used = {pair.option for pair in variant.pairs}
    lefts = [(pair.left, variant.option(pair.option)) for pair in variant.pairs]
    lefts += [("", option) for option in variant.options if option.id not in used]
    questions = []
    for left, option in lefts:
        (shown,) = to_html([left], "tex") if left else ("",)
        answer = element("answer", element("text", readable(option.text)))  # a menu, which shows plain text
        questions.append(element("subquestion", element("text", shown), answer, format="html"))
    return "matching", [element("shuffleanswers", "true"), *questions]


def _ordering(variant: Variant) -> tuple[str, list[Element]]:
    grading = "ABSOLUTE_POSITION" if variant.policy is Policy.PER_PART else "ALL_OR_NOTHING"
    head = [
        element("layouttype", "VERTICAL"),
        element("selecttype", "ALL"),
        element("selectcount", str(len(variant.order))),
        element("gradingtype", grading),
        element("showgrading", "SHOW"),
        element("numberingstyle", "none"),
    ]
    steps = []
    for place, identifier in enumerate(variant.order, start=1):
        (text,) = to_html([variant.option(identifier).text], "tex")
        steps.append(element("answer", element("text", text), fraction=str(place), format="html"))
    return "ordering", head + steps


_KINDS: dict[Kind, Callable[[Variant], tuple[str, list[Element]]]] = {
    Kind.SINGLE: _choice,
    Kind.MULTIPLE: _choice,
    Kind.TRUE_FALSE: _true_false,
    Kind.NUMERIC: _numeric,
    Kind.TEXT: _text,
    Kind.MATCHING: _matching,
    Kind.ORDERING: _ordering,
}
