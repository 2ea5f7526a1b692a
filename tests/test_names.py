"""Names as people type them."""

from __future__ import annotations

from grader.names import did_you_mean, matching


def test_matching_prefers_the_whole_name_then_a_words_start_then_a_part() -> None:
    names = ["all_reduce", "ring_all_reduce", "reduce", "unreduced"]
    assert matching("Reduce", names) == ["reduce"]
    assert matching("all-reduce", names) == ["all_reduce"]
    assert matching("red", names) == ["all_reduce", "ring_all_reduce", "reduce"]
    assert matching("duced", names) == ["unreduced"]
    assert matching("", names) == []
    assert did_you_mean("rign_all_reduce", names) == "; did you mean ring_all_reduce?"
    assert did_you_mean("xyz", names) == ""
