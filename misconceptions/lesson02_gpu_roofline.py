"""Known wrong ways through lesson 2, each with a hint that leads out of it."""

from __future__ import annotations

from grader.authoring import misconception

# --- tensor_peak ---

misconception(
    "a_fused_step_is_one_operation",
    of="tensor_peak",
    instead_of="dense = 2 * fma",
    wrote="dense = fma",
    says="a peak that counts a multiply-add as one operation",
    hint="A fused multiply-add multiplies and adds. How many operations does the docstring make of it?",
)

misconception(
    "sparse_unasked",
    of="tensor_peak",
    instead_of="sparse: bool = False",
    wrote="sparse: bool = True",
    says="a peak for sparse operands where nobody asked for it",
    hint="Which peak does a caller want who says nothing of sparsity? Data sheets often print the other one.",
)

misconception(
    "sparse_makes_no_difference",
    of="tensor_peak",
    instead_of="return 2 * dense if sparse else dense",
    wrote="return dense",
    says="a peak that is the same for sparse operands",
    hint="What does the last argument do to the peak?",
)

misconception(
    "sparse_halves",
    of="tensor_peak",
    instead_of="return 2 * dense if sparse else dense",
    wrote="return dense / 2 if sparse else dense",
    says="a peak that is halved where half of the operands are zero",
    hint="With zeros to skip, does a product take more time or less? The peak counts the skipped operations too.",
)

misconception(
    "one_tensor_core_an_sm",
    of="tensor_peak",
    instead_of='("tensor_cores", tensor_cores), ("fma_per_cycle", fma_per_cycle))\n'
    "    fma = math.prod(checked_int(name, value, 1) for name, value in counts)",
    wrote='("tensor_cores", tensor_cores), ("fma_per_cycle", fma_per_cycle))\n'
    "    fma = math.prod(checked_int(name, value, 1) for name, value in counts) // tensor_cores",
    says="the peak of a GPU with one tensor core in each SM",
    hint="Multiply-adds are given for one tensor core. How many of them work in an SM?",
)

misconception(
    "the_peak_of_one_sm",
    of="tensor_peak",
    instead_of='counts = (("n_sm", n_sm), (',
    wrote='checked_int("n_sm", n_sm, 1)\n    counts = ((',
    says="the peak of one SM",
    hint="What do the other SMs do meanwhile?",
)

misconception(
    "peak_in_teraflops",
    of="tensor_peak",
    instead_of="return 2 * dense if sparse else dense",
    wrote="return (2 * dense if sparse else dense) / 1e12",
    says="a peak in TFLOP per second",
    hint="Which unit does the docstring ask for?",
)

misconception(
    "a_peak_per_cycle",
    of="tensor_peak",
    instead_of='2 * fma * checked_float("clock_hz", clock_hz, positive=True)',
    wrote='2.0 * fma * (checked_float("clock_hz", clock_hz, positive=True) > 0)',
    says="a peak per cycle",
    hint="How many cycles does a second have? The clock is an argument.",
)

misconception(
    "a_gpu_of_nothing",
    of="tensor_peak",
    instead_of="checked_int(name, value, 1)",
    wrote="checked_int(name, value, 0)",
    says="a peak that takes a GPU without cores",
    hint="What does the docstring raise for a count of 0?",
)

misconception(
    "cores_of_one_multiply_add",
    of="tensor_peak",
    instead_of="checked_int(name, value, 1) for name, value in counts)",
    wrote="checked_int(name, value, 1) for name, value in counts) // fma_per_cycle",
    says="tensor cores that do one multiply-add a cycle",
    hint="A tensor core multiplies small matrices. How many multiply-adds does it do in one cycle?",
)

# --- roofline ---

misconception(
    "the_higher_roof",
    of="roofline",
    instead_of="min(peak, intensity * rate)",
    wrote="max(peak, intensity * rate)",
    says="a kernel that reaches the higher of two limits",
    hint="Two limits hold at the same time. Which of them stops the kernel?",
)

misconception(
    "no_flat_roof",
    of="roofline",
    instead_of="min(peak, intensity * rate)",
    wrote="intensity * rate",
    says="a roof that goes up for ever",
    hint="With a very high intensity memory is no limit any more. What is?",
)

misconception(
    "ridge_the_wrong_way_up",
    of="roofline",
    instead_of="ridge = peak / rate",
    wrote="ridge = rate / peak",
    says="a ridge in bytes per FLOP",
    hint="At the ridge intensity times bandwidth is the peak. Solve that for the intensity.",
)

misconception(
    "memory_binds_at_the_ridge",
    of="roofline",
    instead_of='"memory" if intensity < ridge else',
    wrote='"memory" if intensity <= ridge else',
    says="a kernel that is bound by memory at the ridge itself",
    hint="What does the docstring say of a kernel at the ridge?",
)

misconception(
    "bounds_exchanged",
    of="roofline",
    instead_of='"memory" if intensity < ridge else "compute"',
    wrote='"compute" if intensity < ridge else "memory"',
    says="bounds that are exchanged",
    hint="A kernel that does little with each byte waits for what: the next byte, or its arithmetic?",
)

misconception(
    "a_share_of_the_peak",
    of="roofline",
    instead_of="Roof(min(peak, intensity * rate),",
    wrote="Roof(min(peak, intensity * rate) / peak,",
    says="an attainable rate as a share of the peak",
    hint="Which unit does the docstring ask for?",
)

misconception(
    "bandwidth_in_bits",
    of="roofline",
    instead_of="ridge = peak / rate",
    wrote="rate = rate / 8\n    ridge = peak / rate",
    says="a bandwidth that was taken for bits per second",
    hint="In which unit does the bandwidth come in?",
)

misconception(
    "infinite_intensity_refused",
    of="roofline",
    instead_of="if not intensity >= 0:",
    wrote="if not 0 <= intensity < math.inf:",
    says="a roofline that refuses a kernel which moves nothing",
    hint="What is the intensity of a kernel that moves no bytes, and what does the docstring say of it?",
)

misconception(
    "zero_intensity_refused",
    of="roofline",
    instead_of="if not intensity >= 0:",
    wrote="if not intensity > 0:",
    says="a roofline that refuses a kernel which computes nothing",
    hint="A copy does no operation. What is its intensity, and is it allowed?",
)

misconception(
    "nan_is_an_intensity",
    of="roofline",
    instead_of="if not intensity >= 0:",
    wrote="if intensity < 0:",
    says="a roofline that takes nan for an intensity",
    hint="Every comparison with nan is false, also nan < 0. How do you ask so that it does not slip through?",
)

misconception(
    "a_roof_with_a_round_corner",
    of="roofline",
    instead_of="min(peak, intensity * rate)",
    wrote="(1 / (1 / peak + 1 / (intensity * rate)) if intensity else 0.0)",
    says="a kernel that first moves all of its data and then computes",
    hint="The model lets both go on at the same time. Which of the two limits is then reached first?",
)

# --- kernel_time ---

misconception(
    "one_after_the_other",
    of="kernel_time",
    instead_of="max(computing, moving) + (1 - hidden) * min(computing, moving)",
    wrote="computing + moving + 0 * hidden",
    says="a kernel that first moves and then computes, whatever the overlap",
    hint="While one tile is multiplied the next can be loaded. Which of your two times is then hidden?",
)

misconception(
    "the_shorter_time_decides",
    of="kernel_time",
    instead_of="max(computing, moving) + (1 - hidden) * min(computing, moving)",
    wrote="min(computing, moving) + (1 - hidden) * max(computing, moving)",
    says="a kernel that hides its longer time behind the shorter one",
    hint="Can ten seconds be hidden behind one second?",
)

misconception(
    "overlap_the_wrong_way",
    of="kernel_time",
    instead_of="(1 - hidden) * min",
    wrote="hidden * min",
    says="an overlap that is exposed instead of hidden",
    hint="Which overlap hides everything: 0 or 1?",
)

misconception(
    "always_all_hidden",
    of="kernel_time",
    instead_of="max(computing, moving) + (1 - hidden) * min(computing, moving)",
    wrote="max(computing, moving) + 0 * hidden",
    says="a kernel that hides everything, whatever the overlap",
    hint="What does a kernel take that hides nothing?",
)

misconception(
    "both_times_shrink",
    of="kernel_time",
    instead_of="max(computing, moving) + (1 - hidden) * min(computing, moving)",
    wrote="max(max(computing, moving), (1 - hidden / 2) * (computing + moving))",
    says="a kernel in which the overlap shortens the sum of both times",
    hint="The overlap is a share of one of the two times. Of which?",
)

misconception(
    "data_always_hides_behind_computing",
    of="kernel_time",
    instead_of="max(computing, moving) + (1 - hidden) * min(computing, moving)",
    wrote="max(computing, moving, computing + (1 - hidden) * moving)",
    says="a kernel in which it is always the data's time that is hidden",
    hint="Which time is the shorter one in a kernel that is bound by memory?",
)

misconception(
    "exposed_by_default",
    of="kernel_time",
    instead_of="overlap: float = 1.0",
    wrote="overlap: float = 0.0",
    says="a kernel that hides nothing unless told otherwise",
    hint="Look at the default of overlap in the signature.",
)

misconception(
    "more_than_all_hidden",
    of="kernel_time",
    instead_of='checked_float("overlap", overlap, most=1.0)',
    wrote='checked_float("overlap", overlap)',
    says="a kernel that may hide more than all of the shorter time",
    hint="Which overlaps does the docstring allow?",
)

misconception(
    "idle_kernels_refused",
    of="kernel_time",
    instead_of='checked_float("flops", flops)',
    wrote='checked_float("flops", flops, positive=True)',
    says="a time that refuses kernels without operations",
    hint="A copy does no operation. How long does it take?",
)

misconception(
    "all_or_nothing",
    of="kernel_time",
    instead_of="(1 - hidden) * min",
    wrote="(hidden < 1) * min",
    says="a kernel that hides all of the shorter time or nothing",
    hint="With an overlap of one half, how much of the shorter time is hidden?",
)

# --- gemm_intensity ---

misconception(
    "c_is_not_written",
    of="gemm_intensity",
    instead_of=" + size_c * m * n)",
    wrote=" + 0 * size_c)",
    says="a product whose result is not written",
    hint="Three matrices cross between chip and memory. Which one is missing?",
)

misconception(
    "multiply_adds_per_byte",
    of="gemm_intensity",
    instead_of="return 2 * m * n * k",
    wrote="return m * n * k",
    says="multiply-adds per byte",
    hint="A multiply-add is how many operations?",
)

misconception(
    "all_of_one_type",
    of="gemm_intensity",
    instead_of="size_a * m * k + size_b * k * n + size_c * m * n",
    wrote="size_a * (m * k + k * n + m * n) + 0 * (size_b + size_c)",
    says="three matrices that all have the type of A",
    hint="Weights in int8 and activations in bf16: which argument is for which matrix?",
)

misconception(
    "weights_are_a",
    of="gemm_intensity",
    instead_of="size_a * m * k + size_b * k * n",
    wrote="size_b * m * k + size_a * k * n",
    says="sizes of A and B that are exchanged",
    hint="Write the shapes of A and B next to each other, and beside each its bytes.",
)

misconception(
    "entries_instead_of_bytes",
    of="gemm_intensity",
    instead_of="size_a * m * k + size_b * k * n + size_c * m * n",
    wrote="m * k + k * n + m * n + 0 * (size_a + size_b + size_c)",
    says="operations per entry, not per byte",
    hint="How many bytes does an entry have?",
)

misconception(
    "c_is_read_and_written",
    of="gemm_intensity",
    instead_of=" + size_c * m * n)",
    wrote=" + 2 * size_c * m * n)",
    says="a result that is read before it is written",
    hint="C is the product alone: nothing is added to what was there. How often does it cross?",
)

misconception(
    "the_batch_is_small",
    of="gemm_intensity",
    instead_of="size_a * m * k + size_b * k * n + size_c * m * n",
    wrote="size_b * k * n + 0 * (size_a + size_c)",
    says="an intensity that counts the weights alone",
    hint="With a large batch the activations are as large as the weights. What does the docstring count?",
)

misconception(
    "nothing_is_reused",
    of="gemm_intensity",
    instead_of="size_a * m * k + size_b * k * n + size_c * m * n",
    wrote="(size_a + size_b) * m * n * k + size_c * m * n",
    says="a product that reads both operands anew for every multiply-add",
    hint="How many entries does A have, and how often is each of them read, says the docstring?",
)

misconception(
    "floats_for_dimensions",
    of="gemm_intensity",
    instead_of="checked_int(name, value, 1) for",
    wrote="checked_int(name, int(value), 1) for",
    says="dimensions that need not be ints",
    hint="What does the docstring raise for a dimension of 2.0, or of True?",
)

misconception(
    "one_addition_fewer",
    of="gemm_intensity",
    instead_of="return 2 * m * n * k /",
    wrote="return m * n * (2 * k - 1) /",
    says="one addition fewer for each entry of C",
    hint="A sum of k products takes k - 1 additions, but how does the docstring count multiply-adds?",
)

misconception(
    "c_in_the_shape_of_a",
    of="gemm_intensity",
    instead_of=" + size_c * m * n)",
    wrote=" + size_c * m * k)",
    says="a result in the shape of A",
    hint="How many columns does C have?",
)

# --- critical_m ---

misconception(
    "small_batch_formula",
    of="critical_m",
    instead_of="return ridge * size_b * k * n / gained_per_row if gained_per_row > 0 else math.inf",
    wrote="return ridge * size_b / 2 + 0 * gained_per_row",
    says="the critical batch of an infinitely large layer",
    hint="That is the limit for large n and k. What do A and C add to the bytes when m grows?",
)

misconception(
    "never_infinite",
    of="critical_m",
    instead_of="/ gained_per_row if gained_per_row > 0 else math.inf",
    wrote="/ gained_per_row if gained_per_row else math.inf",
    says="a critical batch that is negative where there is none",
    hint="A layer with narrow n never reaches a high ridge. What does your equation give then, and what should it?",
)

misconception(
    "whole_rows",
    of="critical_m",
    instead_of="return ridge * size_b * k * n / gained_per_row if gained_per_row > 0 else math.inf",
    wrote="return math.ceil(ridge * size_b * k * n / gained_per_row) if gained_per_row > 0 else math.inf",
    says="a critical batch that is rounded up",
    hint="Is m a whole number here? See how the docstring takes it.",
)

misconception(
    "ridge_in_multiply_adds",
    of="critical_m",
    instead_of="gained_per_row = 2 * n * k",
    wrote="gained_per_row = n * k",
    says="a critical batch for intensities in multiply-adds",
    hint="The ridge is in FLOP per byte. How many FLOP does the layer do?",
)

misconception(
    "batch_of_a_c_that_stays",
    of="critical_m",
    instead_of="(size_a * k + size_c * n)",
    wrote="(size_a * k + 0 * size_c)",
    says="a critical batch of a layer whose result is not written",
    hint="Which of the three matrices grow with m?",
)

misconception(
    "inputs_that_are_there",
    of="critical_m",
    instead_of="(size_a * k + size_c * n)",
    wrote="(0 * size_a + size_c * n)",
    says="a critical batch of a layer whose inputs are not read",
    hint="Which of the three matrices grow with m?",
)

misconception(
    "n_for_k",
    of="critical_m",
    instead_of="(size_a * k + size_c * n)",
    wrote="(size_a * n + size_c * k)",
    says="a critical batch with n and k exchanged",
    hint="A row of A has how many entries? And a row of C?",
)

misconception(
    "bytes_of_b_forgotten",
    of="critical_m",
    instead_of="return ridge * size_b * k * n",
    wrote="return ridge * 2 * k * n",
    says="a critical batch for weights of two bytes, whatever they have",
    hint="Weights in int8 are read twice as fast. Where does their size stand in the equation?",
)

misconception(
    "unreachable_raises",
    of="critical_m",
    instead_of="return ridge * size_b * k * n / gained_per_row if gained_per_row > 0 else math.inf",
    wrote="if gained_per_row <= 0:\n        raise ValueError('no m')\n"
    "    return ridge * size_b * k * n / gained_per_row",
    says="a layer that raises where no batch is large enough",
    hint="What does the docstring return where no m reaches the ridge?",
)

misconception(
    "rates_of_nothing",
    of="critical_m",
    instead_of='checked_float("peak_flops", peak_flops, positive=True)',
    wrote="peak_flops",
    says="a critical batch that takes a peak of nothing",
    hint="What does the docstring raise for a peak of 0?",
)

misconception(
    "one_row_at_least",
    of="critical_m",
    instead_of="return ridge * size_b * k * n / gained_per_row if gained_per_row > 0 else math.inf",
    wrote="return max(1.0, ridge * size_b * k * n / gained_per_row) if gained_per_row > 0 else math.inf",
    says="a critical batch of one row at least",
    hint="Below which m is a layer with a very low ridge bound by memory? The docstring takes m as a real number.",
)

# --- warp_sectors ---

misconception(
    "lines_of_128_bytes",
    of="warp_sectors",
    instead_of='sector_bytes = checked_int("sector_bytes", sector_bytes, 1)',
    wrote='sector_bytes = 4 * checked_int("sector_bytes", sector_bytes, 1)',
    says="memory that is moved in whole cache lines of four sectors",
    hint="A cache line has 128 bytes, and each of its four sectors is moved by itself. How large is a sector?",
)

misconception(
    "one_sector_a_lane",
    of="warp_sectors",
    instead_of="return Sectors(len(sectors), len(asked) / (len(sectors) * sector_bytes) if asked else 0.0)",
    wrote="return Sectors(len(starts), len(asked) / (len(starts) * sector_bytes) if asked else 0.0)",
    says="a sector for each lane",
    hint="Two lanes that read from one sector: how often is it moved?",
)

misconception(
    "repeated_bytes_are_useful",
    of="warp_sectors",
    instead_of="return Sectors(len(sectors), len(asked) /",
    wrote="return Sectors(len(sectors), len(starts) * access_bytes /",
    says="an efficiency that counts bytes as often as lanes ask for them",
    hint="32 lanes read the same float. How many of the 32 bytes that are moved does anyone want?",
)

misconception(
    "sectors_begin_where_the_warp_does",
    of="warp_sectors",
    instead_of="byte // sector_bytes for byte in asked",
    wrote="(byte - min(starts)) // sector_bytes for byte in asked",
    says="sectors that begin at the lowest address",
    hint="Sectors lie at fixed places: from byte 0, from byte 32. In which of them are bytes 16 to 47?",
)

misconception(
    "everything_between",
    of="warp_sectors",
    instead_of="sectors = {byte // sector_bytes for byte in asked}",
    wrote="sectors = (\n"
    "        range(min(asked) // sector_bytes, max(asked) // sector_bytes + 1) if asked else range(0)\n"
    "    )",
    says="a warp that moves everything between its lowest and its highest address",
    hint="Lane 0 reads at byte 0, lane 1 at byte 1000. Which sectors are touched?",
)

misconception(
    "first_byte_decides",
    of="warp_sectors",
    instead_of="byte // sector_bytes for byte in asked",
    wrote="start // sector_bytes for start in starts",
    says="an access that lies in the sector of its first byte alone",
    hint="16 bytes in sectors of 8: how many sectors does one access touch?",
)

misconception(
    "as_few_as_could_be",
    of="warp_sectors",
    instead_of="sectors = {byte // sector_bytes for byte in asked}",
    wrote="sectors = range(-(-len(asked) // sector_bytes))",
    says="as many sectors as the bytes would fill if they lay side by side",
    hint="32 floats with a gap after each one: do the gaps stay behind?",
)

misconception(
    "share_of_lanes",
    of="warp_sectors",
    instead_of="len(asked) / (len(sectors) * sector_bytes) if asked",
    wrote="len(asked) / (32 * access_bytes) if asked",
    says="an efficiency that is the share of lanes at work",
    hint="The efficiency compares two numbers of bytes: those that are wanted, and which others?",
)

misconception(
    "addresses_of_elements",
    of="warp_sectors",
    instead_of="range(start, start + access_bytes)",
    wrote="range(start * access_bytes, start * access_bytes + access_bytes)",
    says="addresses that count elements",
    hint="Are the addresses given in bytes or in elements?",
)

misconception(
    "misaligned_is_fine",
    of="warp_sectors",
    instead_of="if any(start % access_bytes for start in starts):",
    wrote="if any(start < 0 for start in starts):",
    says="lanes that may access from any byte on",
    hint="What does the docstring raise for a float at address 6?",
)

misconception(
    "warps_of_any_size",
    of="warp_sectors",
    within="_lanes",
    instead_of="if len(values) > 32:",
    wrote="if len(values) > 64:",
    says="a warp of more than 32 lanes",
    hint="How many lanes does a warp have?",
)

misconception(
    "no_lanes_full_efficiency",
    of="warp_sectors",
    instead_of="if asked else 0.0",
    wrote="if asked else 1.0",
    says="an efficiency of 1 for a warp that moves nothing",
    hint="What does the docstring say of the efficiency where nothing is moved?",
)

misconception(
    "half_a_warp_at_a_time",
    of="warp_sectors",
    instead_of="return Sectors(len(sectors), len(asked) / (len(sectors) * sector_bytes) if asked else 0.0)",
    wrote="halves = [starts[:16], starts[16:]]\n"
    "    moved = sum(len({b // sector_bytes for s in half for b in range(s, s + access_bytes)}) for half in halves)\n"
    "    return Sectors(moved, len(asked) / (moved * sector_bytes) if asked else 0.0)",
    says="a warp whose two halves move their sectors separately",
    hint="One instruction of a warp: are its lanes looked at together or in two halves?",
)

misconception(
    "only_neighbours_share",
    of="warp_sectors",
    instead_of="sectors = {byte // sector_bytes for byte in asked}",
    wrote="each = [b // sector_bytes for s in starts for b in range(s, s + access_bytes)]\n"
    "    sectors = [sector for place, sector in enumerate(each) if place == 0 or each[place - 1] != sector]",
    says="a sector that is moved again when lanes come back to it",
    hint="Lanes 0 and 2 read from one sector, lane 1 from another. How many sectors are moved?",
)

misconception(
    "sectors_always_of_32",
    of="warp_sectors",
    instead_of="byte // sector_bytes for byte in asked",
    wrote="byte // 32 for byte in asked",
    says="sectors of 32 bytes, whatever the argument says",
    hint="Which argument says how large a sector is?",
)

# --- bank_conflict_degree ---

misconception(
    "same_word_conflicts",
    of="bank_conflict_degree",
    instead_of='different = set(_lanes("words", words))',
    wrote='different = _lanes("words", words)',
    says="a conflict between lanes that want the same word",
    hint="A bank serves one word in a pass, to how many lanes?",
)

misconception(
    "words_are_bytes",
    of="bank_conflict_degree",
    instead_of="word % banks for word",
    wrote="word // 4 % banks for word",
    says="words that are taken for addresses in bytes",
    hint="Are you given bytes or words? In which bank is word 1?",
)

misconception(
    "always_32_banks",
    of="bank_conflict_degree",
    instead_of="word % banks for word",
    wrote="word % 32 for word",
    says="shared memory of 32 banks, whatever the argument says",
    hint="Which argument tells how many banks there are?",
)

misconception(
    "neighbours_in_one_bank",
    of="bank_conflict_degree",
    instead_of="word % banks for word",
    wrote="word // banks for word",
    says="banks that hold neighbouring words",
    hint="Words 0 and 1 lie in different banks. In which one lies word w?",
)

misconception(
    "evenly_spread",
    of="bank_conflict_degree",
    instead_of="return max((in_bank.count(bank) for bank in set(in_bank)), default=0)",
    wrote="return -(-len(in_bank) // banks)",
    says="words that spread evenly over the banks",
    hint="That is the best case. What if all words lie in one bank?",
)

misconception(
    "banks_that_work",
    of="bank_conflict_degree",
    instead_of="return max((in_bank.count(bank) for bank in set(in_bank)), default=0)",
    wrote="return len(set(in_bank))",
    says="the number of banks that are accessed",
    hint="Banks work side by side. Which of them takes longest?",
)

misconception(
    "extra_passes",
    of="bank_conflict_degree",
    instead_of="return max((in_bank.count(bank) for bank in set(in_bank)), default=0)",
    wrote="return max((in_bank.count(bank) - 1 for bank in set(in_bank)), default=0)",
    says="the passes beyond the first",
    hint="How many passes does an access without a conflict take?",
)

misconception(
    "all_banks_in_turn",
    of="bank_conflict_degree",
    instead_of="return max((in_bank.count(bank) for bank in set(in_bank)), default=0)",
    wrote="return len(in_bank)",
    says="words that are served one after the other",
    hint="Two words in two banks: do they wait for each other?",
)

misconception(
    "nobody_takes_a_pass",
    of="bank_conflict_degree",
    instead_of="default=0)",
    wrote="default=1)",
    says="an access without lanes that takes a pass",
    hint="What does the docstring return if no lane takes part?",
)

misconception(
    "lanes_without_end",
    of="bank_conflict_degree",
    within="_lanes",
    instead_of="if len(values) > 32:",
    wrote="if len(values) > 64:",
    says="a warp of more than 32 lanes",
    hint="How many lanes does a warp have?",
)

misconception(
    "half_warps_in_turn",
    of="bank_conflict_degree",
    instead_of="return max((in_bank.count(bank) for bank in set(in_bank)), default=0)",
    wrote="halves = [[word % banks for word in set(half)] for half in (words[:16], words[16:])]\n"
    "    return max((half.count(bank) for half in halves for bank in half), default=0)",
    says="conflicts within half a warp alone",
    hint="All lanes of the warp access at the same time. Can lane 0 be in the way of lane 20?",
)

misconception(
    "neighbours_share_a_word",
    of="bank_conflict_degree",
    instead_of='different = set(_lanes("words", words))',
    wrote='lanes = _lanes("words", words)\n'
    "    different = [word for place, word in enumerate(lanes) if place == 0 or lanes[place - 1] != word]",
    says="a word that only neighbouring lanes can share",
    hint="Lanes 0 and 2 want the same word, lane 1 another. How often is the shared word served?",
)

# --- occupancy ---

misconception(
    "registers_to_the_last",
    of="occupancy",
    instead_of='_rounded_up(32 * checked_int("registers", registers, 1, 255), sm["register_unit"])',
    wrote='32 * checked_int("registers", registers, 1, 255)',
    says="registers that are given out one by one",
    hint="A warp of threads with 33 registers needs 1056. In which units are they given out?",
)

misconception(
    "registers_rounded_for_the_block",
    of="occupancy",
    instead_of='"registers": sm["registers"] // 4 // per_warp * 4 // warps,',
    wrote='"registers": sm["registers"] // _rounded_up(32 * registers * warps, sm["register_unit"]),',
    says="registers that are rounded up for a block, not for each warp",
    hint="Who is given registers in whole units: a block, or each of its warps?",
)

misconception(
    "one_register_file",
    of="occupancy",
    instead_of='sm["registers"] // 4 // per_warp * 4 // warps',
    wrote='sm["registers"] // per_warp // warps',
    says="an SM whose registers are all in one place",
    hint="A warp can't have half of its registers in one partition and half in another. What is left over in each?",
)

misconception(
    "blocks_in_one_partition",
    of="occupancy",
    instead_of='sm["registers"] // 4 // per_warp * 4 // warps',
    wrote='sm["registers"] // 4 // per_warp // warps * 4',
    says="blocks that have to fit one partition",
    hint="The warps of a block may live in different partitions. When do you round down to whole blocks?",
)

misconception(
    "no_reserve",
    of="occupancy",
    instead_of=' + sm["shared_reserved"]',
    wrote="",
    says="shared memory of which the system takes nothing",
    hint="An entry of sm says what the system takes for every block.",
)

misconception(
    "reserve_once",
    of="occupancy",
    instead_of=' + sm["shared_reserved"]',
    wrote="",
    also={'sm["shared_bytes"] // per_block if': '(sm["shared_bytes"] - sm["shared_reserved"]) // per_block if'},
    says="a reserve that is taken once, not for every block",
    hint="How much does the system take of two blocks: one reserve or two?",
)

misconception(
    "shared_memory_to_the_byte",
    of="occupancy",
    instead_of='_rounded_up(checked_int("shared_bytes", shared_bytes) + sm["shared_reserved"], sm["shared_unit"])',
    wrote='checked_int("shared_bytes", shared_bytes) + sm["shared_reserved"]',
    says="shared memory that is given out byte by byte",
    hint="In which units is shared memory given to a block?",
)

misconception(
    "reserve_beside_the_units",
    of="occupancy",
    instead_of='_rounded_up(checked_int("shared_bytes", shared_bytes) + sm["shared_reserved"], sm["shared_unit"])',
    wrote='_rounded_up(checked_int("shared_bytes", shared_bytes), sm["shared_unit"]) + sm["shared_reserved"]',
    says="shared memory that is rounded up before the reserve is added",
    hint="What is rounded up: the block's bytes, or they and the reserve together?",
)

misconception(
    "threads_not_warps",
    of="occupancy",
    instead_of='"warps": sm["max_warps"] // warps,',
    wrote='"warps": sm["max_warps"] * 32 // threads,',
    says="room for threads instead of whole warps",
    hint="A block of 33 threads has how many warps, and how many threads' room does it take?",
)

misconception(
    "any_number_of_blocks",
    of="occupancy",
    instead_of='"blocks": sm["max_blocks"],',
    wrote='"blocks": sm["max_blocks"] * 64,',
    says="an SM with room for any number of blocks",
    hint="Blocks of one warp each: is it warps that run out first?",
)

misconception(
    "a_warp_cut_short",
    of="occupancy",
    instead_of='warps = _ceil(checked_int("threads", threads, 1, 1024), 32)',
    wrote='warps = max(1, checked_int("threads", threads, 1, 1024) // 32)',
    says="blocks whose last, partly filled warp is not counted",
    hint="Into how many warps does a block of 33 threads go?",
)

misconception(
    "blocks_that_almost_fit",
    of="occupancy",
    instead_of='"warps": sm["max_warps"] // warps,',
    wrote='"warps": _ceil(sm["max_warps"], warps),',
    says="a block that is resident though there is no room for all of its warps",
    hint="Blocks are resident whole or not at all. Which way do you round?",
)

misconception(
    "the_first_limit_alone",
    of="occupancy",
    instead_of="return Occupancy(blocks, blocks * warps, blocks * warps / sm",
    wrote="limiters = limiters[:1]\n    return Occupancy(blocks, blocks * warps, blocks * warps / sm",
    says="the first limit only, where several are the least",
    hint="If two limits allow equally few blocks, does it help to lift one of them? The docstring asks for every one.",
)

misconception(
    "occupancy_in_blocks",
    of="occupancy",
    instead_of='blocks * warps / sm["max_warps"]',
    wrote='blocks / sm["max_blocks"]',
    says="an occupancy that counts blocks",
    hint="The occupancy compares resident warps with what?",
)

misconception(
    "a_byte_at_least",
    of="occupancy",
    instead_of="// per_block if per_block else math.inf",
    wrote='// max(per_block, sm["shared_unit"])',
    says="blocks that take a unit of shared memory even where they ask for none",
    hint="A block that takes no shared memory: can it run out of it?",
)

misconception(
    "blocks_of_any_size",
    of="occupancy",
    instead_of='checked_int("threads", threads, 1, 1024)',
    wrote='checked_int("threads", threads, 1)',
    says="blocks of more than 1024 threads",
    hint="How many threads may a block have, and what does the docstring raise for more?",
)

misconception(
    "threads_with_any_registers",
    of="occupancy",
    instead_of='checked_int("registers", registers, 1, 255)',
    wrote='checked_int("registers", registers, 1)',
    says="threads with more than 255 registers",
    hint="How many registers may a thread have, and what does the docstring raise for more?",
)

misconception(
    "warps_in_fours",
    of="occupancy",
    instead_of='warps = _ceil(checked_int("threads", threads, 1, 1024), 32)',
    wrote='warps = _ceil(checked_int("threads", threads, 1, 1024), 128) * 4',
    says="blocks whose warps are rounded up to one for each partition",
    hint="A block of one warp lives in one partition. Does it take anything of the other three?",
)

misconception(
    "occupancy_in_threads",
    of="occupancy",
    instead_of='blocks * warps / sm["max_warps"]',
    wrote='blocks * threads / (32 * sm["max_warps"])',
    says="an occupancy that counts threads",
    hint="The last warp of a block of 33 threads has one thread. Does it count as a warp?",
)

# --- latency_hiding ---

misconception(
    "rate_over_latency",
    of="latency_hiding",
    instead_of='full = rate * checked_float("latency_s", latency_s, positive=True)',
    wrote='full = rate / checked_float("latency_s", latency_s, positive=True)',
    says="bytes in flight that are the bandwidth divided by the latency",
    hint="Bytes per second and seconds: which way do you put them together so that bytes come out?",
)

misconception(
    "warps_rounded_down",
    of="latency_hiding",
    instead_of="math.ceil(needed / of_all_sms)",
    wrote="math.floor(needed / of_all_sms)",
    says="a number of warps that is rounded down",
    hint="If 11.3 warps are needed, are 11 enough?",
)

misconception(
    "always_one_more_warp",
    of="latency_hiding",
    instead_of="math.ceil(needed / of_all_sms)",
    wrote="math.floor(needed / of_all_sms) + 1",
    says="one warp more than needed where it comes out even",
    hint="If exactly 16 warps are needed, what does your rounding give?",
)

misconception(
    "warps_of_the_whole_chip",
    of="latency_hiding",
    instead_of="math.ceil(needed / of_all_sms)",
    wrote="math.ceil(needed / of_warp)",
    says="the warps of the whole chip instead of each SM",
    hint="The bandwidth is that of the chip. How many SMs share the work?",
)

misconception(
    "one_load_a_warp",
    of="latency_hiding",
    instead_of='checked_int("loads_per_warp", loads_per_warp, 1) * checked_int(',
    wrote='min(1, checked_int("loads_per_warp", loads_per_warp, 1)) * checked_int(',
    says="warps with one load on its way each",
    hint="Independent loads of one warp are on their way together. Which argument says how many?",
)

misconception(
    "always_128_bytes",
    of="latency_hiding",
    instead_of='checked_int("bytes_per_load", bytes_per_load, 1)',
    wrote='128 * min(1, checked_int("bytes_per_load", bytes_per_load, 1))',
    says="loads of 128 bytes, whatever the argument says",
    hint="A load of 16 bytes for each lane is how many bytes for the warp?",
)

misconception(
    "loads_of_one_lane",
    of="latency_hiding",
    instead_of="of_all_sms = checked_int",
    wrote="of_warp *= 32\n    of_all_sms = checked_int",
    says="loads whose bytes are those of a single lane",
    hint="Are the bytes of a load those of one lane, or of all lanes of the warp?",
)

misconception(
    "share_of_everything",
    of="latency_hiding",
    instead_of="min(1.0, in_flight / full)",
    wrote="min(1.0, in_flight / needed)",
    says="a bandwidth that is measured against the wanted share",
    hint="What the warps reach does not depend on what you want. With which bytes is it compared?",
)

misconception(
    "more_than_the_bandwidth",
    of="latency_hiding",
    instead_of="min(1.0, in_flight / full)",
    wrote="in_flight / full",
    says="warps that reach more than the whole bandwidth",
    hint="Twice as much in flight as needed: does memory get faster?",
)

misconception(
    "all_of_it_always",
    of="latency_hiding",
    instead_of='needed = full * checked_float("share", share, most=1.0, positive=True)',
    wrote='needed = full * min(1.0, checked_float("share", share, most=1.0, positive=True) * math.inf)',
    says="bytes in flight for the whole bandwidth, whatever share is wanted",
    hint="For half of the bandwidth, how many bytes have to be on their way?",
)

misconception(
    "shares_above_one",
    of="latency_hiding",
    instead_of='checked_float("share", share, most=1.0, positive=True)',
    wrote='checked_float("share", share, positive=True)',
    says="a wanted share above the whole bandwidth",
    hint="Which shares does the docstring allow?",
)

misconception(
    "no_more_than_fit",
    of="latency_hiding",
    instead_of="math.ceil(needed / of_all_sms)",
    wrote="min(64, math.ceil(needed / of_all_sms))",
    says="a number of warps that never exceeds what fits on an SM",
    hint="If more warps are needed than fit, that is worth knowing. What does the docstring return then?",
)

misconception(
    "warps_to_the_nearest",
    of="latency_hiding",
    instead_of="math.ceil(needed / of_all_sms)",
    wrote="round(needed / of_all_sms)",
    says="a number of warps that is rounded to the nearest",
    hint="If 11.3 warps are needed, are 11 enough?",
)

misconception(
    "bytes_for_all_warps_for_a_share",
    of="latency_hiding",
    instead_of="return Hiding(needed,",
    wrote="return Hiding(full,",
    says="bytes in flight for the whole bandwidth next to warps for the wanted share",
    hint="Both numbers are for the share that is wanted. Which one of yours is not?",
)

# --- gemm_quantization ---

misconception(
    "no_tiles_at_the_edges",
    of="gemm_quantization",
    instead_of="tiles = _ceil(m, tile_m) * _ceil(n, tile_n)",
    wrote="tiles = max(1, m // tile_m) * max(1, n // tile_n)",
    says="tiles that leave the edges of the result uncovered",
    hint="1537 columns in tiles of 128: who computes the last one?",
)

misconception(
    "tiles_by_area",
    of="gemm_quantization",
    instead_of="tiles = _ceil(m, tile_m) * _ceil(n, tile_n)",
    wrote="tiles = _ceil(m * n, tile_m * tile_n)",
    says="as many tiles as their area demands",
    hint="Tiles are laid in rows and columns, and overhang at both edges. How many are there along each side?",
)

misconception(
    "parts_of_waves",
    of="gemm_quantization",
    instead_of="return Quantization(tiles, waves,",
    wrote="waves = tiles / places\n    return Quantization(tiles, waves,",
    says="waves that end as soon as their share of the chip is used",
    hint="How long does a wave with a single block take?",
)

misconception(
    "full_waves_only",
    of="gemm_quantization",
    instead_of="waves = _ceil(tiles, places)",
    wrote="waves = max(1, tiles // places)",
    says="waves without the last, partly filled one",
    hint="117 tiles on 108 SMs: when do the last 9 run?",
)

misconception(
    "one_block_on_each_sm",
    of="gemm_quantization",
    instead_of='* checked_int("blocks_per_sm", blocks_per_sm, 1)',
    wrote='* min(1, checked_int("blocks_per_sm", blocks_per_sm, 1))',
    says="a chip that runs one block on each SM, whatever the argument says",
    hint="If an SM runs two blocks at a time, how many run on the chip?",
)

misconception(
    "blocks_share_the_sms",
    of="gemm_quantization",
    instead_of="waves = _ceil(tiles, places)",
    wrote="places = max(1, n_sm // blocks_per_sm)\n    waves = _ceil(tiles, places)",
    says="blocks that take several SMs each",
    hint="Does a second block on each SM make more places or fewer?",
)

misconception(
    "overhang_is_work",
    of="gemm_quantization",
    instead_of="m * n / (waves * places * area))",
    wrote="tiles / (waves * places))",
    says="an efficiency that counts the overhang as useful work",
    hint="Two losses make the efficiency: the last wave, and what else?",
)

misconception(
    "waves_are_always_full",
    of="gemm_quantization",
    instead_of="m * n / (waves * places * area))",
    wrote="m * n / (tiles * area))",
    says="an efficiency without the loss in the last wave",
    hint="Two losses make the efficiency: the overhang of the tiles, and what else?",
)

misconception(
    "the_last_wave_alone",
    of="gemm_quantization",
    instead_of="tiles / (waves * places), m * n / (waves * places * area))",
    wrote="((tiles - 1) % places + 1) / places, m * n / (tiles * area) * ((tiles - 1) % places + 1) / places)",
    says="an efficiency of the last wave alone",
    hint="The waves before the last are full. What share of all places is used?",
)

misconception(
    "tiles_turned",
    of="gemm_quantization",
    instead_of="tiles = _ceil(m, tile_m) * _ceil(n, tile_n)",
    wrote="tiles = _ceil(m, tile_n) * _ceil(n, tile_m)",
    says="tiles that are turned by a quarter",
    hint="Which side of a tile lies along m?",
)

misconception(
    "places_of_no_block",
    of="gemm_quantization",
    instead_of="(checked_int(name, value, 1) for name, value in named)",
    wrote="(checked_int(name, int(value), 1) for name, value in named)",
    says="sizes that need not be ints",
    hint="What does the docstring raise for a bool?",
)

misconception(
    "always_one_tile_more",
    of="gemm_quantization",
    instead_of="tiles = _ceil(m, tile_m) * _ceil(n, tile_n)",
    wrote="tiles = (m // tile_m + 1) * (n // tile_n + 1)",
    says="one more tile along each side, also where the sizes divide",
    hint="How many tiles of 128 cover 256 columns? What does your formula give?",
)

misconception(
    "the_mean_of_two_losses",
    of="gemm_quantization",
    instead_of="m * n / (waves * places * area))",
    wrote="(m * n / (tiles * area) + tiles / (waves * places)) / 2)",
    says="an efficiency that is the mean of the other two",
    hint="If half of the places hold tiles and half of each tile is useful, what share of the work is useful?",
)

misconception(
    "waves_row_by_row",
    of="gemm_quantization",
    instead_of="waves = _ceil(tiles, places)",
    wrote="waves = _ceil(m, tile_m) * _ceil(_ceil(n, tile_n), places)",
    says="waves that end with each row of tiles",
    hint="When the tiles of one row don't fill the chip, may tiles of the next row start?",
)

# --- schedule_blocks ---

misconception(
    "in_turn",
    of="schedule_blocks",
    instead_of='start, slot = free[0]\n        end = start + checked_float("durations", seconds)\n'
    "        heapq.heapreplace(free, (end, slot))",
    wrote="slot = len(taken) % slots\n        start = free[slot][0]\n"
    '        end = start + checked_float("durations", seconds)\n        free[slot] = (end, slot)',
    says="blocks that go to the slots in turn",
    hint="If slot 0 is still busy and slot 1 has been free for long, where does the next block go?",
)

misconception(
    "waves_wait_for_the_slowest",
    of="schedule_blocks",
    instead_of="for seconds in durations:\n        start, slot = free[0]",
    wrote="for number, seconds in enumerate(durations):\n"
    "        if number % slots == 0:\n"
    "            free = [(makespan, each) for each in range(slots)]\n"
    "        start, slot = free[0]",
    says="waves that all end before the next one starts",
    hint="One block of the first wave is done early. Does its slot wait for the others?",
)

misconception(
    "longest_first",
    of="schedule_blocks",
    instead_of="for seconds in durations:",
    wrote="for seconds in sorted(durations, reverse=True):",
    says="blocks that are sorted, the longest first",
    hint="That is often better, but does the chip know how long blocks last? In which order do they start?",
)

misconception(
    "shortest_first",
    of="schedule_blocks",
    instead_of="for seconds in durations:",
    wrote="for seconds in sorted(durations):",
    says="blocks that are sorted, the shortest first",
    hint="Does the chip know how long blocks last? In which order do they start?",
)

misconception(
    "the_highest_of_free_slots",
    of="schedule_blocks",
    instead_of='start, slot = free[0]\n        end = start + checked_float("durations", seconds)\n'
    "        heapq.heapreplace(free, (end, slot))",
    wrote="start, slot = min(free, key=lambda one: (one[0], -one[1]))\n"
    '        end = start + checked_float("durations", seconds)\n'
    "        free[free.index((start, slot))] = (end, slot)",
    says="blocks that take the highest of several free slots",
    hint="Two slots become free at the same time. Which one does the docstring give the next block?",
)

misconception(
    "the_last_start",
    of="schedule_blocks",
    instead_of="makespan = max(makespan, end)",
    wrote="makespan = max(makespan, start)",
    says="a makespan that ends when the last block starts",
    hint="Is a block done when it starts?",
)

misconception(
    "the_last_block_ends_last",
    of="schedule_blocks",
    instead_of="makespan = max(makespan, end)",
    wrote="makespan = end",
    says="a makespan that is the end of the last block of the launch",
    hint="A long block at the beginning may outlast those that start after it.",
)

misconception(
    "slots_are_sms",
    of="schedule_blocks",
    instead_of="taken.append(slot)",
    wrote="taken.append(slot // blocks_per_sm)",
    says="the number of the SM instead of the slot",
    hint="How many slots are there with two SMs of two blocks each, and what numbers do they have?",
)

misconception(
    "a_block_on_each_sm",
    of="schedule_blocks",
    instead_of='* checked_int("blocks_per_sm", blocks_per_sm, 1)',
    wrote='* min(1, checked_int("blocks_per_sm", blocks_per_sm, 1))',
    says="SMs that run one block at a time, whatever the argument says",
    hint="How many blocks run at a time on the whole chip?",
)

misconception(
    "work_that_can_be_divided",
    of="schedule_blocks",
    instead_of="return Launch(makespan, starts, taken)",
    wrote="return Launch(sum(durations) / slots, starts, taken)",
    says="a makespan of work that divides evenly among the slots",
    hint="Can two slots share one block? What is the least that a launch with one long block takes?",
)

misconception(
    "time_can_run_backwards",
    of="schedule_blocks",
    instead_of='checked_float("durations", seconds)',
    wrote="seconds",
    says="blocks that may last less than no time",
    hint="What does the docstring raise for a negative duration?",
)

misconception(
    "the_emptier_sm_first",
    of="schedule_blocks",
    instead_of="""start, slot = free[0]
        end = start + checked_float("durations", seconds)
        heapq.heapreplace(free, (end, slot))""",
    wrote="""first = min(free)[0]
        busy = [0] * slots
        for when, each in free:
            busy[each // blocks_per_sm] += when > first
        start, slot = min(free, key=lambda one: (one[0], busy[one[1] // blocks_per_sm], one[1]))
        end = start + checked_float("durations", seconds)
        free[free.index((start, slot))] = (end, slot)""",
    says="blocks that prefer the SM with fewer blocks on it",
    hint="A chip may well do that, but which slot does the docstring give a block when several are free?",
)

misconception(
    "sorted_by_slot",
    of="schedule_blocks",
    instead_of="return Launch(makespan, starts, taken)",
    wrote="order = sorted(range(len(taken)), key=lambda place: taken[place])\n"
    "    return Launch(makespan, [starts[i] for i in order], [taken[i] for i in order])",
    says="blocks that are listed slot by slot",
    hint="In which order does the docstring list the blocks?",
)

# --- tiled_gemm ---

misconception(
    "edges_left_out",
    of="tiled_gemm",
    instead_of="counts = _ceil(m, tile_m), _ceil(n, tile_n), _ceil(k, tile_k)",
    wrote="counts = m // tile_m, n // tile_n, k // tile_k",
    says="a schedule of whole tiles alone",
    hint="Five rows in tiles of two: how many tiles are there?",
)

misconception(
    "the_last_depth_left_out",
    of="tiled_gemm",
    instead_of="counts = _ceil(m, tile_m), _ceil(n, tile_n), _ceil(k, tile_k)",
    wrote="counts = _ceil(m, tile_m), _ceil(n, tile_n), max(1, k // tile_k)",
    says="a schedule that leaves out the last, smaller tiles along k",
    hint="Seven columns of A in tiles of three: which products are missing from C?",
)

misconception(
    "every_partial_sum_is_stored",
    of="tiled_gemm",
    within="_pair_by_pair",
    instead_of='        yield Op("multiply", row, col, depth)\n',
    wrote='        yield Op("multiply", row, col, depth)\n        if depth < depths - 1:\n'
    '            yield Op("store", row, col, 0)\n',
    says="a tile of C that is stored after each step along k",
    hint="After the first step along k a tile of C is not finished. Where does the sum stay until it is?",
)

misconception(
    "nothing_is_evicted",
    of="tiled_gemm",
    within="_pair_by_pair",
    instead_of='        yield Op("evict_a", row, 0, depth)\n        yield Op("evict_b", 0, col, depth)\n',
    wrote="",
    says="a schedule that never frees shared memory",
    hint="Add up what is in shared memory after two steps along k. Who makes room?",
)

misconception(
    "a_strip_that_stays_for_ever",
    of="tiled_gemm",
    within="_strip_kept",
    instead_of='    for depth in range(depths):\n        yield Op("evict_a", row, 0, depth)\n',
    wrote="",
    says="strips of A that are never evicted",
    hint="When the next row of tiles begins, what of the last one is still in shared memory?",
)

misconception(
    "tiles_of_b_pile_up",
    of="tiled_gemm",
    within="_strip_kept",
    instead_of='            yield Op("evict_b", 0, col, depth)\n',
    wrote="",
    says="tiles of B that pile up beside the strip",
    hint="The strip of A leaves room for one tile of B. What happens to it after its multiplication?",
)

misconception(
    "strips_are_never_kept",
    of="tiled_gemm",
    instead_of="if tile_m * k + tile_k * tile_n <= room:",
    wrote="if tile_m * k + tile_k * tile_n <= 0:",
    says="a schedule that loads A anew for every tile of C, even where a strip would fit",
    hint="Every tile of C in a row of tiles needs the same tiles of A. What if they all fit into shared memory?",
)

misconception(
    "strips_are_always_kept",
    of="tiled_gemm",
    instead_of="if tile_m * k + tile_k * tile_n <= room:",
    wrote="if room > 0:",
    says="a schedule that keeps a strip of A, whether or not it fits",
    hint="How many bytes does a strip of A take, and how many are there beside a tile of B?",
)

misconception(
    "room_for_entries",
    of="tiled_gemm",
    instead_of='room = checked_int("shared_bytes", shared_bytes, 1) // checked_int("dtype_bytes", dtype_bytes, 1)',
    wrote='room = checked_int("shared_bytes", shared_bytes, 1) // min(1, checked_int("dtype_bytes", dtype_bytes, 1))',
    says="shared memory that is measured in entries",
    hint="Shared memory is given in bytes. How many bytes does a tile take?",
)

misconception(
    "just_fitting_is_not_enough",
    of="tiled_gemm",
    instead_of="if (tile_m + tile_n) * tile_k > room:",
    wrote="if (tile_m + tile_n) * tile_k >= room:",
    says="a schedule that refuses tiles which just fit",
    hint="Does a tile of 32 bytes fit into 32 bytes?",
)

misconception(
    "a_strip_that_just_fits_is_reloaded",
    of="tiled_gemm",
    instead_of="if tile_m * k + tile_k * tile_n <= room:",
    wrote="if tile_m * k + tile_k * tile_n < room:",
    says="a schedule that keeps a strip only if there are bytes to spare",
    hint="As much as shared_bytes fits. What if the strip and a tile of B take exactly that?",
)

misconception(
    "a_strip_without_b",
    of="tiled_gemm",
    instead_of="if tile_m * k + tile_k * tile_n <= room:",
    wrote="if tile_m * k <= room:",
    says="a strip of A that leaves no room for B",
    hint="What has to be in shared memory beside the strip?",
)

misconception(
    "every_tile_of_c_at_once",
    of="tiled_gemm",
    within="_strip_kept",
    instead_of="    for col in range(cols):\n        for depth in range(depths):\n            if col == 0:\n"
    '                yield Op("load_a", row, 0, depth)\n'
    '            yield Op("load_b", 0, col, depth)\n            yield Op("multiply", row, col, depth)\n'
    '            yield Op("evict_b", 0, col, depth)\n        yield Op("store", row, col, 0)\n',
    wrote='    for depth in range(depths):\n        yield Op("load_a", row, 0, depth)\n'
    "        for col in range(cols):\n"
    '            yield Op("load_b", 0, col, depth)\n            yield Op("multiply", row, col, depth)\n'
    '            yield Op("evict_b", 0, col, depth)\n'
    '    for col in range(cols):\n        yield Op("store", row, col, 0)\n',
    says="a schedule with several unfinished tiles of C",
    hint="The registers have room for one tile of C. In which order of loops is it finished before the next begins?",
)

misconception(
    "b_by_its_columns",
    of="tiled_gemm",
    within="_pair_by_pair",
    instead_of='yield Op("load_b", 0, col, depth)',
    wrote='yield Op("load_b", 0, depth, col)',
    also={'yield Op("evict_b", 0, col, depth)': 'yield Op("evict_b", 0, depth, col)'},
    says="tiles of B whose two numbers are exchanged",
    hint="A tile of B has a number along n and one along k. Which place of a step is for which?",
)

misconception(
    "stores_too_early",
    of="tiled_gemm",
    within="_strip_kept",
    instead_of='        yield Op("store", row, col, 0)\n',
    wrote='            if depth == 0:\n                yield Op("store", row, col, 0)\n',
    says="a tile of C that is stored after the first step along k",
    hint="When is a tile of C finished?",
)

misconception(
    "nothing_is_stored",
    of="tiled_gemm",
    within="_pair_by_pair",
    instead_of='    yield Op("store", row, col, 0)\n',
    wrote="",
    says="a schedule that leaves C in the registers",
    hint="Where is C at the end?",
)

misconception(
    "tiles_of_any_size",
    of="tiled_gemm",
    instead_of="if (tile_m + tile_n) * tile_k > room:",
    wrote="if (tile_m + tile_n) * tile_k < 0:",
    says="a schedule for tiles that don't fit into shared memory",
    hint="What does the docstring raise where a tile of A and one of B don't fit together?",
)

misconception(
    "the_strip_is_loaded_again",
    of="tiled_gemm",
    within="_strip_kept",
    instead_of="            if col == 0:\n                yield",
    wrote="            if col >= 0:\n                yield",
    says="a schedule that loads tiles of A which are in shared memory already",
    hint="For the second tile of C in a row of tiles, where are the tiles of A?",
)

misconception(
    "c_is_stored_turned",
    of="tiled_gemm",
    within="_pair_by_pair",
    instead_of='yield Op("store", row, col, 0)',
    wrote='yield Op("store", col, row, 0)',
    says="tiles of C that are stored with their numbers exchanged",
    hint="Which number of a tile of C comes first, the one along m or along n?",
)

misconception(
    "the_last_pair_stays",
    of="tiled_gemm",
    within="_pair_by_pair",
    instead_of='        yield Op("evict_a", row, 0, depth)\n        yield Op("evict_b", 0, col, depth)\n',
    wrote='        if depth < depths - 1:\n            yield Op("evict_a", row, 0, depth)\n'
    '            yield Op("evict_b", 0, col, depth)\n',
    says="a schedule that leaves the last pair of tiles of each tile of C in shared memory",
    hint="Count what is in shared memory when the next tile of C begins.",
)
