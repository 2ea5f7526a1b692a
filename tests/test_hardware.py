"""The hardware table: every figure sourced, of a plausible size, and consistent with the others."""

from __future__ import annotations

import dataclasses

import pytest

from grader.student import ACCELERATORS, Accelerator

EVERY = pytest.mark.parametrize("chip", ACCELERATORS.values(), ids=ACCELERATORS.keys())


def test_the_accelerators_of_the_course_are_there() -> None:
    assert len(ACCELERATORS) == 11
    assert {"V100 SXM2", "A100 SXM 80GB", "H100 SXM", "H200 SXM", "B200 SXM", "MI300X", "TPU v5e"} <= set(ACCELERATORS)


@EVERY
def test_every_figure_names_its_source(chip: Accelerator) -> None:
    given = {
        field.name
        for field in dataclasses.fields(chip)
        if field.name not in ("name", "sources") and getattr(chip, field.name) not in (None, {})
    }
    assert set(chip.sources) == given
    assert all(len(source) > 20 for source in chip.sources.values())


@EVERY
def test_sparse_peaks_are_twice_the_dense_ones_as_their_vendors_say(chip: Accelerator) -> None:
    """To a tenth of a percent, because both are printed rounded."""
    assert set(chip.sparse_flops) in (set(), set(chip.peak_flops))
    for dtype, sparse in chip.sparse_flops.items():
        assert sparse == pytest.approx(2 * chip.peak_flops[dtype], rel=1e-3)


@EVERY
def test_units_are_plausible(chip: Accelerator) -> None:
    """Peaks in FLOP/s, not TFLOP/s; bytes, not GB; hertz, not MHz; one direction, not two."""
    assert 2017 <= chip.year <= 2026
    assert all(1e14 <= peak <= 1e16 for peak in chip.peak_flops.values())
    assert 16e9 <= chip.memory_bytes <= 300e9
    assert 8e11 <= chip.memory_bytes_per_s <= 1e13
    assert chip.clock_hz is None or 1e9 <= chip.clock_hz <= 3e9
    assert chip.cores is None or 1 <= chip.cores <= 400
    assert chip.link_bytes_per_s is None or 1e11 <= chip.link_bytes_per_s <= 1e12
    assert chip.watts is None or 100 <= chip.watts <= 1500


@EVERY
def test_narrower_types_are_not_slower(chip: Accelerator) -> None:
    widths = {"tf32": 32, "fp16": 16, "bf16": 16, "fp8": 8, "int8": 8, "fp4": 4}
    ordered = sorted(chip.peak_flops, key=lambda dtype: -widths[dtype])
    peaks = [chip.peak_flops[dtype] for dtype in ordered]
    assert peaks == sorted(peaks)


@pytest.mark.parametrize(
    ("name", "dtype", "macs_per_core_and_cycle"),
    [
        ("V100 SXM2", "fp16", 8 * 64),
        ("A100 SXM 40GB", "bf16", 4 * 256),
        ("A100 SXM 80GB", "int8", 4 * 512),
        ("H100 SXM", "bf16", 4 * 512),
        ("H100 SXM", "fp8", 4 * 1024),
        ("MI300X", "fp16", 1024),
        ("MI300X", "fp8", 2048),
        ("TPU v4", "bf16", 4 * 128 * 128),
    ],
)
def test_peaks_follow_from_cores_and_clock(name: str, dtype: str, macs_per_core_and_cycle: int) -> None:
    """Tensor cores times multiply-adds a cycle (white papers); FLOPS/CLOCK/CU (ROCm); four MXUs of 128 by 128 (v4)."""
    chip = ACCELERATORS[name]
    assert chip.cores and chip.clock_hz
    peak = 2 * chip.cores * macs_per_core_and_cycle * chip.clock_hz
    assert peak == pytest.approx(chip.peak_flops[dtype], rel=4e-3)


@pytest.mark.parametrize(
    ("name", "ridge"), [("H100 SXM", 295), ("A100 SXM 80GB", 153), ("V100 SXM2", 139), ("TPU v5e", 241)]
)
def test_ridges_of_16_bit_operands(name: str, ridge: float) -> None:
    """Peak over bandwidth, in FLOP per byte; Austin et al. 2025 round the last to 240."""
    chip = ACCELERATORS[name]
    peak = chip.peak_flops.get("bf16") or chip.peak_flops["fp16"]
    assert peak / chip.memory_bytes_per_s == pytest.approx(ridge, abs=0.6)


def test_the_table_can_not_be_changed() -> None:
    chip = ACCELERATORS["H100 SXM"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        chip.watts = 1.0  # type: ignore[misc]
    with pytest.raises(TypeError):
        chip.peak_flops["bf16"] = 1.0  # type: ignore[index]
    with pytest.raises(TypeError):
        ACCELERATORS["H100 SXM"] = chip  # type: ignore[index]
