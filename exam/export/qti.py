"""QTI 2.1 and 3.0: one tree, two spellings. 3.0 has kebab names and a prefix; the rest is the same.

A numeric answer is tested as a range in both, because real players of 3.0 do not implement ``equal`` with a tolerance.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

from exam.export import xml
from exam.export.bounds import plain
from exam.export.package import zipped
from exam.export.targets import Capability, degraded
from exam.export.xml import Element
from exam.render.markdown import convert_all, to_html
from exam.variants import Kind, Policy, Slot, Variant, VariantSet

RESPONSE, SCORE = "RESPONSE", "SCORE"
SCORE_DIGITS = 8


@dataclass(frozen=True)
class Dialect:
    """How a version of QTI spells things.

    Attributes:
        namespace: Of items and tests.
        templates: Where its response processing templates are named.
        suffix: Of the names of templates.
        item_type: Of an item's resource in the manifest.
        test_type: Of the test's.
        schema: The manifest's schema and its version.
        content_namespace: Of the manifest.
        kebab: Whether ``simpleChoice`` is ``qti-simple-choice``.
    """

    namespace: str
    templates: str
    suffix: str
    item_type: str
    test_type: str
    schema: tuple[str, str]
    content_namespace: str
    kebab: bool

    def __call__(self, tag: str, *content: Element | str | None, **attributes: object) -> Element:
        """An element of QTI, named as in 2.1."""
        if self.kebab:
            tag = f"qti-{_kebab(tag)}"
            attributes = {_kebab(name).replace("-", "__"): value for name, value in attributes.items()}
        return xml.element(tag, *content, **attributes)


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: "-" + found[1].lower(), name)


def capability(variant: Variant) -> Capability:
    """What the format grades otherwise than we do."""
    if variant.kind is Kind.MULTIPLE:
        right = sum(option.correct for option in variant.options)
        wrong = len(variant.options) - right
        if variant.policy is Policy.RIGHT_MINUS_WRONG and wrong < right:
            return degraded("everything selected is worth something")
    if variant.kind is Kind.ORDERING and variant.policy is Policy.PER_PART:
        return degraded("an order is all right or worth nothing")
    if variant.number is not None:
        unit = "a unit behind the number is not accepted" if variant.number.unit else ""
        comma = "a decimal comma is not accepted" if variant.number.decimal_comma else ""
        return degraded(unit, comma)
    return degraded("spaces around the answer count" if variant.text is not None else "")


def write(quiz: VariantSet, dialect: Dialect) -> bytes:
    """A package: an item a file, and a test that selects one variant of each."""
    convert_all(quiz, "mathml")
    files = {f"items/{identifier(variant)}.xml": _item(variant, dialect, quiz) for variant in quiz.variants}
    made = {"imsmanifest.xml": xml.document(_manifest(quiz, dialect)), "test.xml": xml.document(_test(quiz, dialect))}
    return zipped({**made, **{name: xml.raw_document(item) for name, item in files.items()}})


def identifier(variant: Variant) -> str:
    """A name that begins with a letter and has no dot, which some importers want."""
    return f"{variant.item}-{variant.draw}".replace(".", "-")


def _manifest(quiz: VariantSet, dialect: Dialect) -> Element:
    items = [
        xml.element(
            "resource",
            xml.element("file", href=f"items/{identifier(variant)}.xml"),
            identifier=f"R-{identifier(variant)}",
            type=dialect.item_type,
            href=f"items/{identifier(variant)}.xml",
        )
        for variant in quiz.variants
    ]
    needs = [xml.element("dependency", identifierref=f"R-{identifier(variant)}") for variant in quiz.variants]
    test = xml.element(
        "resource",
        xml.element("file", href="test.xml"),
        *needs,
        identifier="R-test",
        type=dialect.test_type,
        href="test.xml",
    )
    schema, version = dialect.schema
    about = xml.element("metadata", xml.element("schema", schema), xml.element("schemaversion", version))
    resources = xml.element("resources", test, *items)
    name = f"M-{quiz.lesson}"
    return xml.element(
        "manifest", about, xml.element("organizations"), resources, identifier=name, xmlns=dialect.content_namespace
    )


def _test(quiz: VariantSet, dialect: Dialect) -> Element:
    sections = [_section(slot, dialect) for slot in quiz.slots]
    part = dialect("testPart", *sections, identifier="P1", navigationMode="nonlinear", submissionMode="individual")
    score = _declaration(dialect, SCORE, "0")
    variables = dialect("testVariables", variableIdentifier=SCORE)
    total = dialect("outcomeProcessing", dialect("setOutcomeValue", dialect("sum", variables), identifier=SCORE))
    title = {"identifier": f"T-{quiz.lesson}", "title": quiz.title, "xmlns": dialect.namespace}
    return dialect("assessmentTest", score, part, total, **title)


def _section(slot: Slot, dialect: Dialect) -> Element:
    """One question: one of its variants."""
    one = dialect("selection", select="1", withReplacement="false") if len(slot.variants) > 1 else None
    order = dialect("ordering", shuffle="true") if one is not None else None
    refs = [
        dialect("assessmentItemRef", identifier=identifier(each), href=f"items/{identifier(each)}.xml")
        for each in slot.variants
    ]
    return dialect(
        "assessmentSection", one, order, *refs, identifier=f"S-{slot.item}", title=slot.item, visible="false"
    )


def _declaration(dialect: Dialect, name: str, default: str) -> Element:
    value = dialect("defaultValue", dialect("value", default))
    return dialect("outcomeDeclaration", value, identifier=name, cardinality="single", baseType="float")


def _item(variant: Variant, dialect: Dialect, quiz: VariantSet) -> Element:
    declaration, body, processing = _KINDS[variant.kind](variant, dialect)
    pooled = len([each for each in quiz.variants if each.item == variant.item]) > 1
    code = f"<p><small>{variant.code}</small></p>" if pooled else ""
    most = dialect(
        "outcomeDeclaration",
        dialect("defaultValue", dialect("value", "1")),
        identifier="MAXSCORE",
        cardinality="single",
        baseType="float",
    )
    shown = dialect("itemBody", _block(variant.stem, code), body)
    return dialect(
        "assessmentItem",
        declaration,
        _declaration(dialect, SCORE, "0"),
        most,
        shown,
        processing,
        identifier=identifier(variant),
        title=variant.item,
        adaptive="false",
        timeDependent="false",
        xmlns=dialect.namespace,
    )


def _block(markdown: str, more: str = "") -> Element:
    """Markdown as a block of XHTML with MathML."""
    (text,) = to_html([markdown])
    return _for_qti(xml.parse(text + more, "div"))


_UNKNOWN = {"del": "span", "s": "span", "u": "span", "mark": "span", "section": "div"}
_KNOWN = {"class", "id", "href", "src", "alt", "display", "mathvariant", "encoding", "stretchy", "form"}


def _for_qti(root: Element) -> Element:
    """Without what the schema does not know."""
    for each in root.iter():
        each.tag = _UNKNOWN.get(each.tag, each.tag)
        for name in each.attrib.keys() - _KNOWN:
            del each.attrib[name]
    return root


def _correct(dialect: Dialect, values: list[str]) -> Element:
    return dialect("correctResponse", *(dialect("value", value) for value in values))


def _response(dialect: Dialect, *content: Element | None, cardinality: str, base: str) -> Element:
    return dialect("responseDeclaration", *content, identifier=RESPONSE, cardinality=cardinality, baseType=base)


def _template(dialect: Dialect, name: str) -> Element:
    return dialect("responseProcessing", template=f"{dialect.templates}/{name}{dialect.suffix}")


def _mapping(dialect: Dialect, entries: dict[str, Fraction], *, case_sensitive: bool | None = None) -> Element:
    """What each value adds; between nothing and one in all."""
    rows = []
    for key, worth in entries.items():
        attributes: dict[str, object] = {"mapKey": key, "mappedValue": _worth(worth)}
        if case_sensitive is not None:
            attributes["caseSensitive"] = case_sensitive
        rows.append(dialect("mapEntry", **attributes))
    return dialect("mapping", *rows, lowerBound="0", upperBound="1", defaultValue="0")


def _worth(worth: Fraction) -> str:
    """Rounded up, so that all shares together reach the whole."""
    exact = Decimal(worth.numerator) / worth.denominator
    return plain(exact.quantize(Decimal(1).scaleb(-SCORE_DIGITS), ROUND_CEILING))


def _choice(variant: Variant, dialect: Dialect) -> tuple[Element, Element, Element]:
    many = variant.kind is Kind.MULTIPLE
    right = [option.id for option in variant.options if option.correct]
    choices = []
    for option in variant.options:
        fixed = {"fixed": "true"} if option.pinned else {}
        choices.append(dialect("simpleChoice", _block(option.text), identifier=option.id, **fixed))
    body = dialect(
        "choiceInteraction",
        *choices,
        responseIdentifier=RESPONSE,
        shuffle=variant.shuffle,
        maxChoices="0" if many else "1",
    )
    mapped = many and variant.policy is not Policy.ALL_OR_NOTHING
    mapping = _mapping(dialect, _shares(variant)) if mapped else None
    cardinality = "multiple" if many else "single"
    declaration = _response(dialect, _correct(dialect, right), mapping, cardinality=cardinality, base="identifier")
    return declaration, body, _template(dialect, "map_response" if mapped else "match_correct")


def _shares(variant: Variant) -> dict[str, Fraction]:
    right = sum(option.correct for option in variant.options)
    wrong = len(variant.options) - right
    slip = Fraction(-1, wrong if variant.policy is Policy.BALANCED else right) if wrong else Fraction(0)
    return {option.id: Fraction(1, right) if option.correct else slip for option in variant.options}


def _typed(dialect: Dialect) -> Element:
    return xml.element("p", dialect("textEntryInteraction", responseIdentifier=RESPONSE, expectedLength="20"))


def _numeric(variant: Variant, dialect: Dialect) -> tuple[Element, Element, Element]:
    key = variant.number
    assert key is not None

    def side(test: str, bound: str) -> Element:
        value = dialect("baseValue", plain(Decimal(bound)), baseType="float")
        return dialect(test, dialect("variable", identifier=RESPONSE), value)

    within = dialect("and", side("gte", key.low), side("lte", key.high))
    given = dialect("not", dialect("isNull", dialect("variable", identifier=RESPONSE)))
    one = dialect("setOutcomeValue", dialect("baseValue", "1", baseType="float"), identifier=SCORE)
    rule = dialect("responseIf", dialect("and", given, within), one)
    processing = dialect("responseProcessing", dialect("responseCondition", rule))
    correct = _correct(dialect, [plain(Decimal(key.value))])
    return _response(dialect, correct, cardinality="single", base="float"), _typed(dialect), processing


def _text(variant: Variant, dialect: Dialect) -> tuple[Element, Element, Element]:
    key = variant.text
    assert key is not None
    entries = {text: Fraction(1) for text in key.accept}
    mapping = _mapping(dialect, entries, case_sensitive=key.case_sensitive)
    correct = _correct(dialect, [key.accept[0]])
    declaration = _response(dialect, correct, mapping, cardinality="single", base="string")
    return declaration, _typed(dialect), _template(dialect, "map_response")


def _matching(variant: Variant, dialect: Dialect) -> tuple[Element, Element, Element]:
    pairs = [f"{pair.id} {pair.option}" for pair in variant.pairs]
    per_part = variant.policy is Policy.PER_PART
    mapping = _mapping(dialect, {pair: Fraction(1, len(pairs)) for pair in pairs}) if per_part else None

    def choices(entries: list[tuple[str, str]], most: str) -> Element:
        found = [
            dialect("simpleAssociableChoice", _block(text), identifier=name, matchMax=most) for name, text in entries
        ]
        return dialect("simpleMatchSet", *found)

    lefts = choices([(pair.id, pair.left) for pair in variant.pairs], "1")
    rights = choices([(option.id, option.text) for option in variant.options], str(len(pairs)))
    body = dialect(
        "matchInteraction", lefts, rights, responseIdentifier=RESPONSE, shuffle="false", maxAssociations=str(len(pairs))
    )
    declaration = _response(dialect, _correct(dialect, pairs), mapping, cardinality="multiple", base="directedPair")
    return declaration, body, _template(dialect, "map_response" if per_part else "match_correct")


def _ordering(variant: Variant, dialect: Dialect) -> tuple[Element, Element, Element]:
    choices = [dialect("simpleChoice", _block(option.text), identifier=option.id) for option in variant.options]
    body = dialect("orderInteraction", *choices, responseIdentifier=RESPONSE, shuffle="false")
    correct = _correct(dialect, list(variant.order))
    declaration = _response(dialect, correct, cardinality="ordered", base="identifier")
    return declaration, body, _template(dialect, "match_correct")


_KINDS: dict[Kind, Callable[[Variant, Dialect], tuple[Element, Element, Element]]] = {
    Kind.SINGLE: _choice,
    Kind.TRUE_FALSE: _choice,
    Kind.MULTIPLE: _choice,
    Kind.NUMERIC: _numeric,
    Kind.TEXT: _text,
    Kind.MATCHING: _matching,
    Kind.ORDERING: _ordering,
}
