"""The accelerators of the course, each figure as its vendor prints it, with the place where it is printed.

Peaks are those of the units that multiply matrices. A dense peak and one for sparse operands (two of every four
entries zero) are never mixed: data sheets often print the sparse one, which is twice as high. Figures that are not
printed, or that could not be confirmed, are None or have no entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

GB, TB, GIB, TERA = 1e9, 1e12, 2**30, 1e12


@dataclass(frozen=True)
class Accelerator:
    """What a data sheet says of one accelerator: a card, a module or a chip.

    Attributes:
        name: "H100 SXM", say.
        year: When it was announced, or deployed if that was earlier.
        peak_flops: Dense peak in operations per second (a multiply-accumulate is two), by dtype: "bf16", "int8", ….
        sparse_flops: The same for operands of which two in every four entries are zero; empty where none is given.
        memory_bytes: Capacity of its memory (HBM), in bytes.
        memory_bytes_per_s: Bandwidth of that memory, in bytes per second.
        clock_hz: The clock at which it reaches the peaks, in cycles per second.
        cores: Streaming multiprocessors (NVIDIA), compute units (AMD) or TensorCores (Google).
        link_bytes_per_s: To other accelerators, over all links, in one direction, in bytes per second.
        watts: The most power that it draws.
        sources: For every field that is given, where its vendor says so.
    """

    name: str
    year: int
    peak_flops: Mapping[str, float]
    sparse_flops: Mapping[str, float]
    memory_bytes: float
    memory_bytes_per_s: float
    clock_hz: float | None
    cores: int | None
    link_bytes_per_s: float | None
    watts: float | None
    sources: Mapping[str, str]


_MLPERF_V07 = "NVIDIA's system descriptions in MLPerf Training v0.7"
_MLPERF_V41 = "NVIDIA's system descriptions in MLPerf Inference v4.1"
_VOLTA = "NVIDIA Tesla V100 GPU Architecture, white paper WP-08608-001 (2017)"
_AMPERE = "NVIDIA A100 Tensor Core GPU Architecture, white paper (2020)"
_A100_SHEET = "NVIDIA A100 Tensor Core GPU, data sheet"
_HOPPER = "NVIDIA H100 Tensor Core GPU Architecture, white paper (2022)"
_H100_SHEET = "NVIDIA H100 Tensor Core GPU, data sheet"
_H200_SHEET = "NVIDIA H200 Tensor Core GPU, data sheet"
_BLACKWELL = "NVIDIA Blackwell Architecture Technical Brief (2024)"
_H200_LAUNCH = "github.com/NVIDIA/TensorRT-LLM, docs/source/blogs/H200launch.md, Latest HBM Memory"
_DGXC = "github.com/NVIDIA/dgxc-benchmarking, README, Reference Infrastructure"
_ROCM = "ROCm documentation: AMD Instinct MI300 series microarchitecture"
_ROCM_SPECS = "ROCm documentation: Accelerator and GPU hardware specifications"
_ROCM_TUNING = "ROCm documentation: AMD Instinct MI300X system optimization"
_MI300X_MLPERF = "AMD's system descriptions in MLPerf Inference v4.1"
_TPU_V4_PAPER = "Jouppi et al. (2023): TPU v4, ISCA, arXiv:2304.01433, Table 4"
_TPU_DOCS = "cloud.google.com/tpu/docs/"


def _tera(**flops: float) -> Mapping[str, float]:
    """Peaks given in 10^12 operations per second."""
    return MappingProxyType({dtype: rate * TERA for dtype, rate in flops.items()})


def _says(source: str, *fields: str) -> dict[str, str]:
    return dict.fromkeys(fields, source)


def _sources(*parts: dict[str, str]) -> Mapping[str, str]:
    return MappingProxyType({field: source for part in parts for field, source in part.items()})


_A100_DENSE = _tera(tf32=156, fp16=312, bf16=312, int8=624)
_A100_SPARSE = _tera(tf32=312, fp16=624, bf16=624, int8=1248)

_ALL = (
    Accelerator(
        name="V100 SXM2",
        year=2017,
        peak_flops=_tera(fp16=125),
        sparse_flops=_tera(),
        memory_bytes=16 * GB,
        memory_bytes_per_s=900 * GB,
        clock_hz=1.53e9,
        cores=80,
        link_bytes_per_s=150 * GB,
        watts=300,
        sources=_sources(
            _says(_VOLTA, "year", "peak_flops", "memory_bytes_per_s", "clock_hz", "cores"),
            _says(_MLPERF_V07, "memory_bytes", "link_bytes_per_s", "watts"),
        ),
    ),
    Accelerator(
        name="A100 SXM 40GB",
        year=2020,
        peak_flops=_A100_DENSE,
        sparse_flops=_A100_SPARSE,
        memory_bytes=40 * GB,
        memory_bytes_per_s=1555 * GB,
        clock_hz=1.41e9,
        cores=108,
        link_bytes_per_s=300 * GB,
        watts=400,
        sources=_sources(
            _says(_AMPERE, "year", "peak_flops", "sparse_flops", "memory_bytes_per_s", "clock_hz", "cores"),
            _says(_MLPERF_V07, "memory_bytes", "link_bytes_per_s", "watts"),
        ),
    ),
    Accelerator(
        name="A100 SXM 80GB",
        year=2020,
        peak_flops=_A100_DENSE,
        sparse_flops=_A100_SPARSE,
        memory_bytes=80 * GB,
        memory_bytes_per_s=2039 * GB,
        clock_hz=1.41e9,
        cores=108,
        link_bytes_per_s=300 * GB,
        watts=400,
        sources=_sources(
            _says("NVIDIA's announcement at SC20, November 2020", "year"),
            _says(_A100_SHEET, "peak_flops", "sparse_flops", "memory_bytes", "memory_bytes_per_s"),
            _says(_A100_SHEET, "link_bytes_per_s", "watts"),
            _says(_AMPERE, "clock_hz", "cores"),
        ),
    ),
    Accelerator(
        name="H100 SXM",
        year=2022,
        peak_flops=_tera(tf32=494.7, fp16=989.4, bf16=989.4, fp8=1978.9, int8=1978.9),
        sparse_flops=_tera(tf32=989.4, fp16=1978.9, bf16=1978.9, fp8=3957.8, int8=3957.8),
        memory_bytes=80 * GB,
        memory_bytes_per_s=3.35 * TB,
        clock_hz=1.83e9,
        cores=132,
        link_bytes_per_s=450 * GB,
        watts=700,
        sources=_sources(
            _says(_HOPPER, "year", "peak_flops", "sparse_flops", "clock_hz", "cores"),
            _says(_H100_SHEET, "memory_bytes", "memory_bytes_per_s", "link_bytes_per_s", "watts"),
        ),
    ),
    Accelerator(
        name="H200 SXM",
        year=2023,
        peak_flops=_tera(tf32=494.5, fp16=989.5, bf16=989.5, fp8=1979, int8=1979),
        sparse_flops=_tera(tf32=989, fp16=1979, bf16=1979, fp8=3958, int8=3958),
        memory_bytes=141 * GB,
        memory_bytes_per_s=4.8 * TB,
        clock_hz=None,
        cores=None,
        link_bytes_per_s=450 * GB,
        watts=700,
        sources=_sources(
            _says("NVIDIA's announcement at SC23, November 2023", "year"),
            _says(_H200_SHEET, "sparse_flops"),
            _says(_H200_LAUNCH, "memory_bytes", "memory_bytes_per_s"),
            _says(f"half of what the {_H200_SHEET}, prints with sparsity", "peak_flops"),
            _says(_MLPERF_V41, "link_bytes_per_s", "watts"),
        ),
    ),
    Accelerator(
        name="B200 SXM",
        year=2024,
        peak_flops=_tera(bf16=2250, fp8=4500, fp4=9000),
        sparse_flops=_tera(bf16=4500, fp8=9000, fp4=18000),
        memory_bytes=180 * GB,
        memory_bytes_per_s=7.7 * TB,  # of systems as they are sold; the brief says up to 8
        clock_hz=None,
        cores=None,
        link_bytes_per_s=900 * GB,
        watts=1000,
        sources=_sources(
            _says(_BLACKWELL, "year", "sparse_flops"),
            _says(_DGXC, "peak_flops", "memory_bytes", "memory_bytes_per_s", "link_bytes_per_s", "watts"),
        ),
    ),
    Accelerator(
        name="MI300X",
        year=2023,
        peak_flops=_tera(fp16=1307.4, bf16=1307.4, fp8=2614.9, int8=2614.9),
        sparse_flops=_tera(),
        memory_bytes=192 * GIB,
        memory_bytes_per_s=5.3 * TB,
        clock_hz=2.1e9,
        cores=304,
        link_bytes_per_s=None,
        watts=750,
        sources=_sources(
            _says("AMD's launch of the Instinct MI300 series, December 2023", "year"),
            _says(_ROCM, "peak_flops", "memory_bytes_per_s"),
            _says(_ROCM_SPECS, "memory_bytes", "cores"),
            _says(_ROCM_TUNING, "clock_hz"),
            _says(_MI300X_MLPERF, "watts"),
        ),
    ),
    Accelerator(
        name="TPU v4",
        year=2020,
        peak_flops=_tera(bf16=275, int8=275),
        sparse_flops=_tera(),
        memory_bytes=32 * GIB,
        memory_bytes_per_s=1200 * GB,
        clock_hz=1.05e9,
        cores=2,
        link_bytes_per_s=300 * GB,
        watts=192,
        sources=_sources(
            _says(f"{_TPU_DOCS}v4", "peak_flops", "memory_bytes", "memory_bytes_per_s", "cores", "watts"),
            _says("Jouppi et al. (2023): TPU v4, ISCA, arXiv:2304.01433, abstract: deployed since 2020", "year"),
            _says(_TPU_V4_PAPER, "clock_hz", "link_bytes_per_s"),
        ),
    ),
    Accelerator(
        name="TPU v5e",
        year=2023,
        peak_flops=_tera(bf16=197, int8=393),
        sparse_flops=_tera(),
        memory_bytes=16 * GB,
        memory_bytes_per_s=819 * GB,
        clock_hz=None,
        cores=1,
        link_bytes_per_s=200 * GB,
        watts=None,
        sources=_sources(
            _says("Google's announcement of Cloud TPU v5e, August 2023", "year"),
            _says(f"{_TPU_DOCS}v5e", "peak_flops", "memory_bytes", "memory_bytes_per_s"),
            _says(f"{_TPU_DOCS}v5e", "cores", "link_bytes_per_s"),
        ),
    ),
    Accelerator(
        name="TPU v5p",
        year=2023,
        peak_flops=_tera(bf16=459),
        sparse_flops=_tera(),
        memory_bytes=95 * GIB,
        memory_bytes_per_s=2765 * GB,
        clock_hz=None,
        cores=2,
        link_bytes_per_s=600 * GB,
        watts=None,
        sources=_sources(
            _says("Google's announcement of Cloud TPU v5p, December 2023", "year"),
            _says(f"{_TPU_DOCS}v5p", "peak_flops", "memory_bytes", "memory_bytes_per_s"),
            _says(f"{_TPU_DOCS}v5p", "cores", "link_bytes_per_s"),
        ),
    ),
    Accelerator(
        name="TPU v6e (Trillium)",
        year=2024,
        peak_flops=_tera(bf16=918, int8=1836),
        sparse_flops=_tera(),
        memory_bytes=32 * GB,
        memory_bytes_per_s=1638 * GB,
        clock_hz=None,
        cores=1,
        link_bytes_per_s=400 * GB,
        watts=None,
        sources=_sources(
            _says("Google's announcement of Trillium at I/O, May 2024", "year"),
            _says(f"{_TPU_DOCS}v6e", "peak_flops", "memory_bytes", "memory_bytes_per_s"),
            _says(f"{_TPU_DOCS}v6e", "cores", "link_bytes_per_s"),
        ),
    ),
)

ACCELERATORS: Mapping[str, Accelerator] = MappingProxyType({each.name: each for each in _ALL})
