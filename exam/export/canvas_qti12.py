"""Canvas's dialect of QTI 1.2: a package with one quiz, and a group for each item with several variants."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from decimal import Decimal

from exam.export.bounds import is_symmetric, plain
from exam.export.package import zipped
from exam.export.targets import Capability, degraded, refused
from exam.export.xml import Element, document, element
from exam.render.markdown import convert_all, to_html
from exam.variants import Kind, Mistake, Number, Option, Policy, Slot, Variant, VariantSet
from grader.handout import readable

SUFFIX = ".zip"
POOLS = True

LEAST = Decimal("1e-4")  # Canvas rounds smaller answers to zero
IMS = "http://www.imsglobal.org/xsd"
QTI = f"{IMS}/ims_qtiasiv1p2"
CANVAS = "http://canvas.instructure.com/xsd/cccv1p0"
_TYPES = {
    Kind.SINGLE: "multiple_choice_question",
    Kind.TRUE_FALSE: "true_false_question",
    Kind.MULTIPLE: "multiple_answers_question",
    Kind.NUMERIC: "numerical_question",
    Kind.TEXT: "short_answer_question",
    Kind.MATCHING: "matching_question",
    Kind.ORDERING: "matching_question",
}


def capability(variant: Variant) -> Capability:
    """What Canvas grades otherwise than we do."""
    if variant.number is not None:
        return _of_number(variant.number)
    if variant.kind is Kind.MULTIPLE:
        return _of_multiple(variant)
    if variant.kind is Kind.TEXT:
        assert variant.text is not None
        return degraded("capitals don't count" if variant.text.case_sensitive else "")
    if variant.kind is Kind.ORDERING:
        paid = "" if variant.policy is Policy.PER_PART else "it pays for each place"
        return degraded("becomes a matching of steps and places", paid)
    if variant.kind is Kind.MATCHING:
        return degraded("Canvas pays for each pair" if variant.policy is Policy.ALL_OR_NOTHING else "")
    return degraded(_order_lost(variant))


def _of_number(key: Number) -> Capability:
    bounds = [Decimal(text) for text in (key.low, key.high)]
    if any(0 < abs(each) < LEAST for each in bounds):
        return refused(f"Canvas rounds answers below {LEAST} to zero; ask for another unit")
    comma = "the language of the site decides about the decimal comma" if key.decimal_comma else ""
    unit = "a unit behind the number is not accepted" if key.unit else ""
    return degraded(comma, unit)


def _of_multiple(variant: Variant) -> Capability:
    """Classic quizzes pay (right - wrong)/right; new ones likewise with partial credit."""
    right = sum(option.correct for option in variant.options)
    wrong = len(variant.options) - right
    if variant.policy is Policy.ALL_OR_NOTHING:
        paid = "partial answers are paid"
    elif variant.policy is Policy.BALANCED and right != wrong:
        paid = "Canvas pays (right - wrong)/right"
    else:
        paid = "everything selected is worth something" if wrong < right else ""
    return degraded(_order_lost(variant), paid)


def _order_lost(variant: Variant) -> str:
    return "an option that should stay last may be shuffled" if any(option.pinned for option in variant.options) else ""


def write(quiz: VariantSet) -> bytes:
    """The package."""
    convert_all(quiz)
    identifier = "q" + hashlib.sha256((quiz.lesson + quiz.bank).encode()).hexdigest()[:24]
    return zipped(
        {
            "imsmanifest.xml": document(_manifest(identifier)),
            f"{identifier}/{identifier}.xml": document(_assessment(quiz, identifier)),
            f"{identifier}/assessment_meta.xml": document(_meta(quiz, identifier)),
        }
    )


def _manifest(identifier: str) -> Element:
    meta = f"{identifier}_meta"
    quiz = element(
        "resource",
        element("file", href=f"{identifier}/{identifier}.xml"),
        element("dependency", identifierref=meta),
        identifier=identifier,
        type="imsqti_xmlv1p2",
    )
    about = element(
        "resource",
        element("file", href=f"{identifier}/assessment_meta.xml"),
        identifier=meta,
        type="associatedcontent/imscc_xmlv1p1/learning-application-resource",
        href=f"{identifier}/assessment_meta.xml",
    )
    schema = element("metadata", element("schema", "IMS Content"), element("schemaversion", "1.1.3"))
    resources = element("resources", quiz, about)
    return element(
        "manifest",
        schema,
        element("organizations"),
        resources,
        identifier=f"{identifier}_manifest",
        xmlns=f"{IMS}/imscp_v1p1",
    )


def _meta(quiz: VariantSet, identifier: str) -> Element:
    points = sum(slot.variants[0].points for slot in quiz.slots)
    parts = {
        "title": quiz.title,
        "description": "",
        "shuffle_answers": "false",
        "scoring_policy": "keep_highest",
        "quiz_type": "assignment",
        "points_possible": f"{points}.0",
        "allowed_attempts": "1",
    }
    return element("quiz", *(element(tag, text) for tag, text in parts.items()), identifier=identifier, xmlns=CANVAS)


def _assessment(quiz: VariantSet, identifier: str) -> Element:
    section = element("section", ident="root_section")
    for slot in quiz.slots:
        section.append(_group(slot) if len(slot.variants) > 1 else _item(slot.variants[0]))
    attempts = _fields({"cc_maxattempts": "1"})
    assessment = element("assessment", attempts, section, ident=identifier, title=quiz.title)
    return element("questestinterop", assessment, xmlns=QTI)


def _fields(fields: dict[str, str]) -> Element:
    rows = [
        element("qtimetadatafield", element("fieldlabel", label), element("fieldentry", entry))
        for label, entry in fields.items()
    ]
    return element("qtimetadata", *rows)


def _group(slot: Slot) -> Element:
    points = element("selection_extension", element("points_per_item", f"{slot.variants[0].points}.0"))
    selection = element("selection", element("selection_number", "1"), points)
    items = [_item(variant, pooled=True) for variant in slot.variants]
    ordering = element("selection_ordering", selection)
    return element("section", ordering, *items, ident=f"g_{slot.item}", title=slot.item)


def _item(variant: Variant, *, pooled: bool = False) -> Element:
    stem = _html(variant.stem) + (f"<p><small>{variant.code}</small></p>" if pooled else "")
    interactions, conditions = _KINDS[variant.kind](variant)
    ids = dict.fromkeys(_labels(interactions))
    about = _fields(
        {
            "question_type": _TYPES[variant.kind],
            "points_possible": f"{variant.points}.0",
            "original_answer_ids": ",".join(ids),
            "assessment_question_identifierref": f"a_{variant.item}_{variant.draw}",
        }
    )
    outcome = element("decvar", maxvalue="100", minvalue="0", varname="SCORE", vartype="Decimal")
    processing = element("resprocessing", element("outcomes", outcome), *conditions)
    general = element("itemfeedback", _flow(_html(variant.explanation)), ident="general_fb")
    shown = element("presentation", _material(stem), *interactions)
    identifier = f"i_{variant.item}_{variant.draw}"
    parts = (element("itemmetadata", about), shown, processing, general)
    return element("item", *parts, ident=identifier, title=f"{variant.item} {variant.code}" if pooled else variant.item)


def _labels(interactions: list[Element]) -> Iterator[str]:
    for interaction in interactions:
        yield from (label.get("ident", "") for label in interaction.iter("response_label"))


def _html(markdown: str) -> str:
    (found,) = to_html([markdown], "tex")
    return found


def _material(text: str) -> Element:
    return element("material", element("mattext", text, texttype="text/html"))


def _flow(text: str) -> Element:
    return element("flow_mat", _material(text))


def _condition(*conditions: Element, action: str = "Set", worth: str = "100") -> Element:
    value = element("setvar", worth, action=action, varname="SCORE")
    return element("respcondition", element("conditionvar", *conditions), value, continue_="No")


def _equal(respident: str, value: str) -> Element:
    return element("varequal", value, respident=respident)


def _number_of(option: Option, variant: Variant) -> str:
    """Canvas wants numbers for ids; these say nothing, for they come from ids that say nothing."""
    return str(int(hashlib.sha256(f"{variant.item}{variant.draw}{option.id}".encode()).hexdigest()[:7], 16))


def _choice(variant: Variant) -> tuple[list[Element], list[Element]]:
    many = variant.kind is Kind.MULTIPLE
    ids = {option.id: _number_of(option, variant) for option in variant.options}
    labels = [element("response_label", _material(_html(o.text)), ident=ids[o.id]) for o in variant.options]
    choices = element("render_choice", *labels)
    asked = element("response_lid", choices, ident="response1", rcardinality="Multiple" if many else "Single")
    tests = [_equal("response1", ids[o.id]) for o in variant.options if o.correct]
    if many:
        tests += [element("not", _equal("response1", ids[o.id])) for o in variant.options if not o.correct]
        tests = [element("and", *tests)]
    return [asked], [_condition(*tests)]


def _typed(kind: str) -> Element:
    return element("response_str", element("render_fib", fibtype=kind), ident="response1", rcardinality="Single")


def _numeric(variant: Variant) -> tuple[list[Element], list[Element]]:
    key = variant.number
    assert key is not None
    return [_typed("Decimal")], [_condition(*_within(key, exact=key.value if is_symmetric(key) else None))]


def _within(key: Number | Mistake, exact: str | None) -> list[Element]:
    """A range; around an exact answer only if that stands in its middle, or new and classic quizzes disagree."""
    low = element("vargte", plain(Decimal(key.low)), respident="response1")
    high = element("varlte", plain(Decimal(key.high)), respident="response1")
    if exact is None:
        return [low, high]
    return [element("or", _equal("response1", plain(Decimal(exact))), element("and", low, high))]


def _text(variant: Variant) -> tuple[list[Element], list[Element]]:
    assert variant.text is not None
    return [_typed("String")], [_condition(*(_equal("response1", text) for text in variant.text.accept))]


def _matching(variant: Variant) -> tuple[list[Element], list[Element]]:
    rows = [(pair.id, pair.left, pair.option) for pair in variant.pairs]
    return _matches(variant, rows, [(option.id, readable(option.text)) for option in variant.options])


def _ordering(variant: Variant) -> tuple[list[Element], list[Element]]:
    """Each step is matched with its place."""
    places = {identifier: f"p{place}" for place, identifier in enumerate(variant.order, start=1)}
    rows = [(option.id, option.text, places[option.id]) for option in variant.options]
    return _matches(variant, rows, [(name, name[1:]) for name in sorted(places.values())])


def _matches(
    variant: Variant, rows: list[tuple[str, str, str]], rights: list[tuple[str, str]]
) -> tuple[list[Element], list[Element]]:
    numbers = {identifier: _number_of(Option(identifier, ""), variant) for identifier, _ in rights}
    asked, conditions = [], []
    for row, (identifier, left, right) in enumerate(rows):
        labels = [
            element("response_label", element("material", element("mattext", text)), ident=numbers[each])
            for each, text in rights
        ]
        ident = f"response_{identifier}"
        asked.append(element("response_lid", _material(_html(left)), element("render_choice", *labels), ident=ident))
        worth = format(_share(row + 1, len(rows)) - _share(row, len(rows)), "f")
        conditions.append(_condition(_equal(ident, numbers[right]), action="Add", worth=worth))
    return asked, conditions


def _share(parts: int, of: int) -> Decimal:
    """Some of equal parts in percent; all of them are a hundred."""
    return round(Decimal(100 * parts) / of, 6)


_KINDS: dict[Kind, Callable[[Variant], tuple[list[Element], list[Element]]]] = {
    Kind.SINGLE: _choice,
    Kind.MULTIPLE: _choice,
    Kind.TRUE_FALSE: _choice,
    Kind.NUMERIC: _numeric,
    Kind.TEXT: _text,
    Kind.MATCHING: _matching,
    Kind.ORDERING: _ordering,
}
