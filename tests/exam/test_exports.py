"""Every export is read back by graders that know nothing of the exporters, and grades as the scorer does."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from exam.export.targets import TARGETS, Level, expressible, losses, target
from exam.render.markdown import to_html
from exam.scoring import score
from exam.scoring.grid import responses
from exam.variants import Kind, Variant, VariantSet
from grader.errors import UserError
from grader.handout import readable
from tests.exam import samples
from tests.exam.browser import browser, npm
from tests.exam.readers import moodle, olx, qti2, qti12

pytest.importorskip("pypandoc")

GIFT = ("gift-pegjs", "1.0.2")
SAMPLES = [pytest.param(variant, id=variant.item) for variant in samples.ALL]


def exported(name: str, *variants: Variant) -> bytes:
    to, quiz = target(name), VariantSet("07_zero_fsdp", "ZeRO & FSDP: <a quiz>", "0" * 64, variants)
    return to.write(expressible(to, quiz))


def compared(name: str, variant: Variant, grade: Callable[[Any], Fraction]) -> int:
    """Compare grades over the grid; returns how many responses were compared."""
    capability = target(name).capability(variant)
    count = 0
    for response in responses(variant):
        if response is None or (variant.kind is Kind.MULTIPLE and not response) or _is_partial(variant, response):
            continue
        theirs, ours = grade(response), score(variant, response).credit
        if capability.level is Level.EXACT:
            assert abs(theirs - ours) < Fraction(1, 10**6), (response, theirs, ours)
        elif response == variant.key:
            assert theirs == 1, response
        count += 1
    return count


def _is_partial(variant: Variant, response: Any) -> bool:
    return variant.kind is Kind.MATCHING and len(response) < len(variant.pairs)


def plain_number(response: str) -> str:
    return response.replace(",", ".")


# --- Moodle XML ---


def as_moodle(variant: Variant, response: Any) -> Any:
    """A response in terms of what Moodle shows."""

    def html(text: str) -> str:
        return to_html([text], "tex")[0]

    texts = {option.id: html(option.text) for option in variant.options}
    if variant.kind is Kind.TRUE_FALSE:
        return response
    if variant.kind is Kind.MATCHING:
        lefts = {pair.id: html(pair.left) for pair in variant.pairs}
        return {lefts[left]: readable(variant.option(right).text) for left, right in response.items()}
    if variant.kind in (Kind.NUMERIC, Kind.TEXT):
        return plain_number(response) if variant.kind is Kind.NUMERIC else response
    return [texts[each] for each in response] if isinstance(response, list) else texts[response]


@pytest.mark.parametrize("variant", SAMPLES)
def test_moodle_grades_alike(variant: Variant) -> None:
    (question,) = moodle.questions(exported("moodle-xml", variant))
    assert compared("moodle-xml", variant, lambda r: moodle.grade(question, as_moodle(variant, r)))


def test_moodle_has_a_category_for_the_variants_of_an_item() -> None:
    other = replace(samples.NUMERIC, draw=1, code="OTHER")
    root = ET.fromstring(exported("moodle-xml", samples.NUMERIC, other))
    assert [each.findtext("category/text") for each in root if each.get("type") == "category"] == [
        "$course$/top/ZeRO & FSDP: <a quiz>/l07-numeric"
    ]
    names = [each.findtext("idnumber") for each in root if each.get("type") != "category"]
    assert names == ["l07-numeric-0", "l07-numeric-1"]  # Moodle drops a number that stands twice
    assert "OTHER" in (root[-1].findtext("questiontext/text") or "")


def test_every_moodle_multichoice_says_whether_it_is_shuffled() -> None:
    for question in moodle.questions(exported("moodle-xml", *samples.ALL)):
        if question.get("type") == "multichoice":
            fixed = question.findtext("name/text") in ("l07-fixed", "l07-single")
            assert question.findtext("shuffleanswers") == ("false" if fixed else "true")


def test_names_of_misconceptions_survive() -> None:
    text = exported("moodle-xml", samples.NUMERIC).decode()
    assert "misconception-counts_gib" in text


# --- GIFT, read by gift-pegjs ---


GIFT_PROGRAM = """
const { parse } = require(process.argv[1]);
let text = ""; process.stdin.on("data", (d) => text += d);
process.stdin.on("end", () => console.log(JSON.stringify(parse(text))));
"""


def parsed_gift(data: bytes) -> list[dict[str, Any]]:
    if not shutil.which("node"):
        pytest.skip("needs node")
    command = ["node", "-e", GIFT_PROGRAM, str(npm(*GIFT))]
    done = subprocess.run(command, input=data, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()[-500:]
    return [each for each in json.loads(done.stdout) if each["type"] not in ("Category", "Comment")]


def gift_grade(question: dict[str, Any], variant: Variant, response: Any) -> Fraction:
    """Credit by what gift-pegjs has understood."""
    kind, given = question["type"], as_moodle(variant, response)
    if kind == "TF":
        return Fraction((given == "true") == question["isTrue"])
    if kind == "Numerical":
        for choice in question["choices"]:
            low, high = _gift_range(choice["text"])
            if low <= Decimal(given) <= high:
                return Fraction(choice["weight"] or 0) / 100
        return Fraction(0)
    if kind == "Short":
        for choice in question["choices"]:
            if choice["text"]["text"].replace(r"\*", "*").casefold() == given.strip().casefold():
                return Fraction(choice["weight"] or 0) / 100
        return Fraction(0)
    if kind == "Matching":
        pairs = {each["subquestion"]["text"]: each["subanswer"] for each in question["matchPairs"]}
        pairs = {left: right for left, right in pairs.items() if left}
        return Fraction(sum(given.get(left) == right for left, right in pairs.items()), len(pairs))
    chosen = given if isinstance(given, list) else [given]
    worth = [_weight(each) for each in question["choices"] if _one_line(each["text"]["text"]) in map(_one_line, chosen)]
    return min(max(sum(worth, Fraction(0)), Fraction(0)), Fraction(1))


def _gift_range(answer: dict[str, Any]) -> tuple[Decimal, Decimal]:
    middle, reach = Decimal(str(answer["number"])), Decimal(str(answer["range"]))
    return middle - reach, middle + reach


def _weight(choice: dict[str, Any]) -> Fraction:
    if choice.get("weight") is None:
        return Fraction(bool(choice["isCorrect"]))
    return Fraction(str(choice["weight"])).limit_denominator(1000) / 100


def _one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("variant", [s for s in SAMPLES if s.id not in ("l07-order", "l07-orderparts")])
def test_gift_grades_alike_as_gift_pegjs_reads_it(variant: Variant) -> None:
    (question,) = parsed_gift(exported("gift", variant))
    assert compared("gift", variant, lambda response: gift_grade(question, variant, response))


def test_gift_keeps_special_characters_and_code() -> None:
    (question,) = parsed_gift(exported("gift", samples.SINGLE))
    (html,) = to_html([samples.SINGLE.stem], "tex")
    assert _one_line(question["stem"]["text"]) == _one_line(html)


# --- Canvas ---


def canvas_grade(item: ET.Element, variant: Variant, response: Any) -> Fraction:
    labels = [each.get("ident") for each in next(item.iter("render_choice"), ET.Element("none")).iter("response_label")]
    ids = dict(zip((option.id for option in variant.options), labels, strict=False))
    if variant.kind in (Kind.NUMERIC, Kind.TEXT):
        given = plain_number(response) if variant.kind is Kind.NUMERIC else response
        return qti12.grade(item, {"response1": [given]})
    if variant.kind is Kind.MATCHING:
        return qti12.grade(item, {f"response_{left}": [str(ids[right])] for left, right in response.items()})
    if variant.kind is Kind.ORDERING:
        return qti12.grade(item, {f"response_{one}": [str(labels[place])] for place, one in enumerate(response)})
    chosen = response if isinstance(response, list) else [response]
    return qti12.grade(item, {"response1": [str(ids[one]) for one in chosen]})


@pytest.mark.parametrize("variant", [s for s in SAMPLES if s.id != "l07-small"])
def test_canvas_grades_alike(variant: Variant) -> None:
    (item,) = qti12.items(exported("canvas-qti12", variant)).values()
    assert compared("canvas-qti12", variant, lambda response: canvas_grade(item, variant, response))


def test_canvas_draws_one_of_a_group() -> None:
    data = exported("canvas-qti12", samples.NUMERIC, replace(samples.NUMERIC, draw=1, code="OTHER"))
    assert set(qti12.items(data)) == {"l07-numeric MERIC", "l07-numeric OTHER"}


def test_canvas_refuses_what_it_would_round_to_zero() -> None:
    assert target("canvas-qti12").capability(samples.SMALL).level is Level.REFUSED


def test_an_uneven_range_has_no_exact_answer_for_canvas() -> None:
    (item,) = qti12.items(exported("canvas-qti12", samples.ASYMMETRIC)).values()
    assert item.find(".//varequal") is None and item.find(".//vargte") is not None


# --- QTI 2.1 and 3.0 ---


def qti_response(variant: Variant, response: Any) -> Any:
    if variant.kind is Kind.MATCHING:
        return [f"{left} {right}" for left, right in response.items()]
    return plain_number(response) if variant.kind is Kind.NUMERIC else response


@pytest.mark.parametrize("name", ["qti21", "qti30"])
@pytest.mark.parametrize("variant", SAMPLES)
def test_qti_grades_alike(name: str, variant: Variant) -> None:
    (item,) = qti2.items(exported(name, variant)).values()
    assert compared(name, variant, lambda response: qti2.grade(item, qti_response(variant, response)))


@pytest.mark.parametrize("name", ["qti21", "qti30"])
def test_an_option_that_stays_last_is_fixed(name: str) -> None:
    (item,) = qti2.items(exported(name, samples.SINGLE)).values()
    assert [each.get("fixed") for each in item.iter("simplechoice")] == [None, None, None, "true"]


PLAYER = ("@citolab/qti-components", "7.27.4")
PLAY = """async ([item, response]) => {
  const host = document.getElementById("host");
  if (item) {
    host.innerHTML = "<qti-item></qti-item>";
    host.firstChild.innerHTML = item;
    await new Promise((resolve) => setTimeout(resolve, 60));
    return null;
  }
  const shown = host.querySelector("qti-assessment-item");
  shown.updateResponseVariable("RESPONSE", response);
  shown.processResponse();
  return shown.getOutcome("SCORE").value;
}"""


@pytest.mark.sweep
def test_a_real_player_of_qti_30_grades_alike() -> None:
    """It rounds scores to three decimals."""
    program = (npm(*PLAYER) / "cdn" / "index.global.js").read_text("utf-8")
    count = 0
    with browser() as opened:
        tab = opened.new_page()
        tab.set_content('<!DOCTYPE html><body><div id="host"></div></body>')
        tab.add_script_tag(content=program)
        for variant in samples.ALL:
            if target("qti30").capability(variant).level is not Level.EXACT:
                continue
            tab.evaluate(PLAY, [as_html_elements(exported("qti30", variant)), None])
            for response in responses(variant):
                if response is None or not response or _is_partial(variant, response):
                    continue
                theirs = tab.evaluate(PLAY, [None, qti_response(variant, response)])
                ours = score(variant, response).credit
                assert abs(float(theirs) - float(ours)) <= 0.0005, (variant.item, response, theirs, ours)
                count += 1
    assert count > 80


def as_html_elements(package: bytes) -> str:
    """The item of a package as a browser takes it: HTML knows no elements that end themselves."""
    archive = zipfile.ZipFile(io.BytesIO(package))
    (name,) = [each for each in archive.namelist() if each.startswith("items/")]
    text = archive.read(name).decode().partition("?>")[2]
    return re.sub(r"<(qti-[a-z-]+)([^<>]*?)\s*/>", r"<\1\2></\1>", text)


# --- Open edX ---


@pytest.mark.parametrize("variant", [s for s in SAMPLES if s.id not in ("l07-order", "l07-orderparts", "l07-match")])
def test_open_edx_grades_alike(variant: Variant) -> None:
    (problem,) = olx.problems(exported("olx", variant)).values()
    places = {option.id: place for place, option in enumerate(variant.options)}

    def grade(response: Any) -> Fraction:
        if variant.options:
            response = [places[o] for o in response] if isinstance(response, list) else places[response]
        return olx.grade(problem, plain_number(response) if variant.number else response)

    assert compared("olx", variant, grade)


# --- all targets ---


@pytest.mark.parametrize("name", [name for name in TARGETS if name != "pdf"])
def test_an_export_has_the_same_bytes_each_time(name: str) -> None:
    assert exported(name, *samples.ALL) == exported(name, *samples.ALL)


@pytest.mark.parametrize("name", TARGETS)
def test_what_a_target_loses_has_a_reason_and_nothing_is_dropped_in_silence(name: str) -> None:
    to, quiz = target(name), samples.sample_set()
    lost = losses(to, quiz)
    refused = {loss.item for loss in lost if loss.capability.level is Level.REFUSED}
    assert all(loss.capability.why for loss in lost)
    assert {variant.item for variant in expressible(to, quiz).variants} == {v.item for v in quiz.variants} - refused


def test_a_target_without_pools_takes_the_first_variant_and_says_so() -> None:
    other = replace(samples.NUMERIC, draw=1, code="OTHER")
    quiz = VariantSet("07_zero_fsdp", "Quiz", "0" * 64, (samples.NUMERIC, other))
    assert [each.draw for each in expressible(target("olx"), quiz).variants] == [0]
    assert any("draws no variants" in loss.capability.why for loss in losses(target("olx"), quiz))


def test_an_unknown_target_is_told_with_the_nearest() -> None:
    with pytest.raises(UserError, match="no target 'moodle'"):
        target("moodle")


def test_the_json_without_keys_holds_none() -> None:
    text = exported("json", *samples.ALL).decode()
    assert not re.search(r'"(correct|misconception|feedback|explanation|low|high|value|accept|order)"', text)
