"""Known wrong ways through lesson 3, each with a hint that leads out of it."""

from __future__ import annotations

from grader.authoring import misconception

# --- array_peak ---

misconception(
    "a_mac_is_one_operation",
    of="array_peak",
    instead_of="return 2 * elements",
    wrote="return elements",
    says="a peak that counts a multiply-accumulate as one operation",
    hint="A multiply-accumulate multiplies and adds. How many operations does the docstring make of it?",
)

misconception(
    "edges_for_elements",
    of="array_peak",
    instead_of='checked_int("rows", rows, 1) * checked_int("cols", cols, 1) *',
    wrote='(checked_int("rows", rows, 1) + checked_int("cols", cols, 1)) *',
    says="an array with elements at its edges alone",
    hint="Operands enter at two edges, but how many elements are in the array?",
)

misconception(
    "one_array_is_enough",
    of="array_peak",
    instead_of=' * checked_int("n_arrays", n_arrays, 1)',
    wrote=' * min(1, checked_int("n_arrays", n_arrays, 1))',
    says="the peak of one array, whatever their number",
    hint="What do the other arrays of the chip do meanwhile?",
)

misconception(
    "sparse_peak",
    of="array_peak",
    instead_of="return 2 * elements",
    wrote="return 4 * elements",
    says="a peak that is twice as high, as data sheets give it for sparse operands",
    hint="Two operations for each multiply-accumulate: where does another factor of two come from?",
)

misconception(
    "arrays_of_nothing",
    of="array_peak",
    instead_of='checked_int("n_arrays", n_arrays, 1)',
    wrote='checked_int("n_arrays", n_arrays, 0)',
    says="a peak that takes a chip without arrays",
    hint="What does the docstring raise for no arrays?",
)

# --- ridge_mac_per_byte ---

misconception(
    "operations_per_byte",
    of="ridge_mac_per_byte",
    instead_of="peak / (2 * checked_float",
    wrote="peak / (checked_float",
    says="a ridge in operations per byte",
    hint="The peak counts two operations for each multiply-accumulate. What does the ridge count?",
)

misconception(
    "ridge_upside_down",
    of="ridge_mac_per_byte",
    instead_of='return peak / (2 * checked_float("bytes_per_s", bytes_per_s, positive=True))',
    wrote='return 2 * checked_float("bytes_per_s", bytes_per_s, positive=True) / peak',
    says="bytes per multiply-accumulate",
    hint="Which way round: how much work must a byte feed, or how many bytes does a piece of work need?",
)

misconception(
    "twice_for_two",
    of="ridge_mac_per_byte",
    instead_of="return peak / (2 * checked_float",
    wrote="return 2 * peak / (checked_float",
    says="a ridge that multiplies by two where it should divide",
    hint="Are there more operations or more multiply-accumulates in a peak? Then which number is larger?",
)

misconception(
    "memory_at_rest",
    of="ridge_mac_per_byte",
    instead_of='checked_float("bytes_per_s", bytes_per_s, positive=True)',
    wrote="bytes_per_s",
    says="a ridge that does not refuse a bandwidth of nothing",
    hint="What does the docstring raise, and for which arguments?",
)

# --- simulate_os ---

misconception(
    "no_skew_at_all",
    of="simulate_os",
    instead_of="has_a[row, 0] = 0 <= cycle - row < depth",
    wrote="has_a[row, 0] = 0 <= cycle < depth",
    also={
        "moving_a[row, 0] = left[row, cycle - row] if": "moving_a[row, 0] = left[row, cycle] if",
        "has_b[0, col] = 0 <= cycle - col < depth": "has_b[0, col] = 0 <= cycle < depth",
        "moving_b[0, col] = top[cycle - col, col] if": "moving_b[0, col] = top[cycle, col] if",
    },
    says="an array whose rows and columns all start at once",
    hint="Element (1, 0) gets its A at once and its B a cycle later. Do entries of the same k meet there?",
)

misconception(
    "only_a_is_delayed",
    of="simulate_os",
    instead_of="has_b[0, col] = 0 <= cycle - col < depth",
    wrote="has_b[0, col] = 0 <= cycle < depth",
    also={"moving_b[0, col] = top[cycle - col, col] if": "moving_b[0, col] = top[cycle, col] if"},
    says="an array in which the columns of B are not delayed",
    hint="In which cycle does column 1 of B have to enter, so that it meets row 0 of A one element to the right?",
)

misconception(
    "one_cycle_too_many",
    of="simulate_os",
    instead_of="cycles = rows + cols + depth - 2",
    wrote="cycles = rows + cols + depth - 1",
    says="an array that runs a cycle longer than it works",
    hint="The last element, (R-1, C-1), does its last step k = T-1 in cycle i + j + k, from 0. How many is that?",
)

misconception(
    "one_cycle_too_few",
    of="simulate_os",
    instead_of="cycles = rows + cols + depth - 2",
    wrote="cycles = max(1, rows + cols + depth - 3)",
    says="an array that stops a cycle early",
    hint="Cycles are counted from 0: the last one has the number R + C + T - 3. How many are there?",
)

misconception(
    "results_have_to_leave",
    of="simulate_os",
    instead_of="return OutputStationary(total, cycles,",
    wrote="return OutputStationary(total, cycles + rows,",
    says="an array whose cycles include moving the results out",
    hint="Up to which event does the docstring count?",
)

misconception(
    "zeros_are_no_work",
    of="simulate_os",
    instead_of="np.count_nonzero(at_work), total",
    wrote="np.count_nonzero(moving_a * moving_b), total",
    says="an array in which a multiplication by zero is no work",
    hint="An element that holds two operands multiplies them, whatever they are. How do you tell an empty register?",
)

misconception(
    "all_elements_are_always_at_work",
    of="simulate_os",
    instead_of="np.count_nonzero(at_work), total",
    wrote="rows * cols, total",
    says="an array in which every element is at work from the first cycle on",
    hint="In the first cycle operands have reached one corner. How many elements can multiply?",
)

misconception(
    "products_that_are_there_at_once",
    of="simulate_os",
    instead_of="np.count_nonzero(at_work), total",
    wrote="np.count_nonzero(at_work), left @ top",
    says="an array whose accumulators hold the whole product from the start",
    hint=(
        "After cycle 0 one element has added one product. What do the others hold? (If you note the same array in "
        "every cycle, you note its last state each time.)"
    ),
)

misconception(
    "operands_in_whole_numbers",
    of="simulate_os",
    instead_of='_factors("ab", a, b)',
    wrote='_factors("ab", np.trunc(a), np.trunc(b))',
    says="an array that drops fractions",
    hint="Which type do the entries have?",
)

misconception(
    "vectors_are_matrices",
    of="simulate_os",
    within="_matrix",
    instead_of="if matrix.ndim != 2 or matrix.size == 0:",
    wrote="matrix = matrix if matrix.ndim > 1 else matrix.reshape(-1, 1)\n    if matrix.size == 0:",
    says="an array that takes a vector for a column",
    hint="What does the docstring raise for what has not two dimensions?",
)

# --- simulate_ws ---

misconception(
    "loading_is_free",
    of="simulate_ws",
    instead_of="active, leaving = np.zeros(depth + stream, dtype=np.int64), np.zeros((depth + stream, cols))",
    wrote="active, leaving = np.zeros(stream, dtype=np.int64), np.zeros((stream, cols))",
    also={
        "active[depth + cycle] =": "active[cycle] =",
        "leaving[depth + cycle] =": "leaving[cycle] =",
        "WeightStationary(result, depth + stream,": "WeightStationary(result, stream,",
    },
    says="an array whose weights are there from the start",
    hint="Before the first input enters, the weights have to. How long does that take, a row a cycle?",
)

misconception(
    "loading_takes_a_cycle_a_column",
    of="simulate_ws",
    instead_of="active, leaving = np.zeros(depth + stream, dtype=np.int64), np.zeros((depth + stream, cols))",
    wrote="active, leaving = np.zeros(cols + stream, dtype=np.int64), np.zeros((cols + stream, cols))",
    also={
        "active[depth + cycle] =": "active[cols + cycle] =",
        "leaving[depth + cycle] =": "leaving[cols + cycle] =",
        "WeightStationary(result, depth + stream,": "WeightStationary(result, cols + stream,",
    },
    says="an array that loads its weights a column a cycle",
    hint="Weights come in rows, one a cycle. How many rows are there?",
)

misconception(
    "weights_are_loaded_for_each_input",
    of="simulate_ws",
    instead_of="return WeightStationary(result, depth + stream,",
    wrote="return WeightStationary(result, depth * count + stream,",
    says="an array that loads its weights anew for every row of X",
    hint="What does stationary mean?",
)

misconception(
    "all_columns_leave_at_once",
    of="simulate_ws",
    instead_of="leaving[depth + cycle] = partial[-1]",
    wrote="leaving[depth + cycle] = result[max(0, cycle - depth + 1 - cols)] if cycle >= depth - 2 + cols else 0.0",
    says="an array whose rows of results leave as a whole",
    hint="Column 1 gets each x a cycle later than column 0. When is its sum ready?",
)

misconception(
    "inputs_are_not_delayed",
    of="simulate_ws",
    instead_of="has[row, 0] = 0 <= cycle - row < count",
    wrote="has[row, 0] = 0 <= cycle < count",
    also={"moving[row, 0] = rows_in[cycle - row, row] if": "moving[row, 0] = rows_in[cycle, row] if"},
    says="an array whose rows of inputs all start at once",
    hint="A sum takes a cycle from one row to the next. When must the x of the next row arrive?",
)

misconception(
    "sums_skip_no_register",
    of="simulate_ws",
    instead_of="from_above = np.vstack([np.zeros((1, cols)), partial[:-1]])",
    wrote="from_above = np.vstack([np.zeros((1, cols)), np.cumsum(moving * weights * has, axis=0)[:-1]])",
    says="an array in which a sum passes through all rows in one cycle",
    hint="A sum is handed to the element below for the next cycle. What stands in between?",
)

misconception(
    "working_while_loading",
    of="simulate_ws",
    instead_of="active[depth + cycle] = np.count_nonzero(has)",
    wrote="active[cycle] = np.count_nonzero(has)",
    says="an array that multiplies while its weights are loaded",
    hint="How many elements can multiply before the weights are there?",
)

misconception(
    "every_weight_always_works",
    of="simulate_ws",
    instead_of="active[depth + cycle] = np.count_nonzero(has)",
    wrote="active[depth + cycle] = depth * cols",
    says="an array in which every weight is at work once they are loaded",
    hint="How far have the inputs come in the first cycle after the loading?",
)

misconception(
    "weights_in_a_vector",
    of="simulate_ws",
    within="_matrix",
    instead_of="if matrix.ndim != 2 or matrix.size == 0:",
    wrote="matrix = matrix if matrix.ndim > 1 else matrix.reshape(-1, 1)\n    if matrix.size == 0:",
    says="an array that takes a vector for a column of weights",
    hint="What does the docstring raise for what has not two dimensions?",
)

# --- fold_cycles ---

misconception(
    "unknown_flows_keep_the_inputs",
    of="fold_cycles",
    within="_spread",
    instead_of='raise ValueError(f"no such dataflow: {dataflow!r}")',
    wrote='dataflow = "is"',
    says="a dataflow that takes every unknown word for input-stationary",
    hint="What should happen for a word that is none of the three?",
)

misconception(
    "partial_folds_are_dropped",
    of="fold_cycles",
    instead_of="folds = _ceil(along_rows, rows) * _ceil(along_cols, cols)",
    wrote="folds = max(1, along_rows // rows) * max(1, along_cols // cols)",
    says="folds without those that are not full",
    hint="What becomes of the rows that are left over when the others are done?",
)

misconception(
    "small_folds_are_cheap",
    of="fold_cycles",
    instead_of="cycles = folds * (loading + rows + cols + streams - 2)",
    wrote=("cycles = folds * (min(loading, along_rows) + min(rows, along_rows) + min(cols, along_cols) + streams - 2)"),
    says="folds that cost only as much as they use of the array",
    hint="How long does a fold take of which only a corner is used?",
)

misconception(
    "loading_in_every_flow",
    of="fold_cycles",
    instead_of='loading = 0 if dataflow == "os" else rows',
    wrote="loading = rows",
    says="an output-stationary array that loads something first",
    hint="What stays in place in an output-stationary array, and is any of it there before the first cycle?",
)

misconception(
    "nothing_is_loaded",
    of="fold_cycles",
    instead_of='loading = 0 if dataflow == "os" else rows',
    wrote="loading = 0",
    says="weights that are in place without being loaded",
    hint="What has to be in the array before inputs can stream through it, and how long does it take?",
)

misconception(
    "weights_lie_like_sums",
    of="fold_cycles",
    within="_spread",
    instead_of='"ws": (k, n, m)',
    wrote='"ws": (m, n, k)',
    says="a weight-stationary array that is laid out like an output-stationary one",
    hint="Which matrix stays in place, and what are its two dimensions?",
)

misconception(
    "inputs_lie_like_weights",
    of="fold_cycles",
    within="_spread",
    instead_of='"is": (k, m, n)',
    wrote='"is": (k, n, m)',
    says="an input-stationary array that keeps the weights",
    hint='Which matrix stays in place for "is", and which dimension is left to stream?',
)

misconception(
    "operations_over_elements",
    of="fold_cycles",
    instead_of="m * n * k / (cycles",
    wrote="2 * m * n * k / (cycles",
    says="a utilisation that counts two operations a cycle",
    hint="An element does one multiply-accumulate a cycle. Can it be used by more than the whole?",
)

misconception(
    "streams_are_folded_too",
    of="fold_cycles",
    instead_of="folds = _ceil(along_rows, rows) * _ceil(along_cols, cols)",
    wrote="folds = _ceil(along_rows, rows) * _ceil(along_cols, cols) * _ceil(streams, rows)",
    says="folds along the dimension that streams",
    hint="Is there a limit to how much may stream through the array?",
)

# --- pipelined_ws_cycles ---

misconception(
    "tiles_of_nothing",
    of="pipelined_ws_cycles",
    instead_of="(checked_int(name, value, 1) for name, value in counts)",
    wrote="(checked_int(name, int(value), 0) for name, value in counts)",
    says="cycles of tiles that do not exist",
    hint="What does the docstring raise for no tiles, and for True as a number?",
)

misconception(
    "loads_are_always_hidden",
    of="pipelined_ws_cycles",
    instead_of="(n_tiles - 1) * max(t, rows)",
    wrote="(n_tiles - 1) * t",
    says="double buffering that hides every load, however short the stream",
    hint="What if a tile's inputs are through before the next tile is loaded?",
)

misconception(
    "the_faster_of_both",
    of="pipelined_ws_cycles",
    instead_of="(n_tiles - 1) * max(t, rows)",
    wrote="(n_tiles - 1) * min(t, rows)",
    says="double buffering that takes the shorter of load and stream",
    hint="The next tile starts when both are done, its load and the stream before it. Which of them is that?",
)

misconception(
    "the_last_tile_waits_too",
    of="pipelined_ws_cycles",
    instead_of="return rows + (n_tiles - 1) * max(t, rows) + t + drain",
    wrote="return rows + n_tiles * max(t, rows) + drain",
    says="a last tile that waits for a load that nobody needs",
    hint="Is anything loaded while the last tile streams?",
)

misconception(
    "the_first_load_is_hidden",
    of="pipelined_ws_cycles",
    instead_of="return rows + (n_tiles - 1)",
    wrote="return (n_tiles - 1)",
    says="double buffering that hides the first load as well",
    hint="Behind what could the first load hide?",
)

misconception(
    "sums_leave_at_once",
    of="pipelined_ws_cycles",
    instead_of="drain = rows + cols - 2",
    wrote="drain = 0",
    says="sums that leave as soon as the last input enters",
    hint="How long does the last row of inputs take to reach the far corner?",
)

misconception(
    "drained_after_every_tile",
    of="pipelined_ws_cycles",
    instead_of="(n_tiles - 1) * max(t, rows) + t + drain",
    wrote="(n_tiles - 1) * (max(t, rows) + drain) + t + drain",
    says="double buffering that empties the array between tiles",
    hint="Inputs of the next tile follow without a gap. Does anybody wait for the sums that are still on their way?",
)

# --- padding_efficiency ---

misconception(
    "truth_is_a_size",
    of="padding_efficiency",
    instead_of="(checked_int(name, value, 1) for name, value in",
    wrote="(checked_int(name, int(value), 1) for name, value in",
    says="an efficiency that takes True for the number one",
    hint="What does the docstring say of a bool?",
)

misconception(
    "only_rows_are_padded",
    of="padding_efficiency",
    instead_of="_ceil(n, mxu) * mxu)",
    wrote="n)",
    says="padding of rows alone",
    hint="The array has columns too.",
)

misconception(
    "padded_to_eight",
    of="padding_efficiency",
    instead_of="return k * n / (_ceil(k, mxu) * mxu * _ceil(n, mxu) * mxu)",
    wrote="return k * n / (_ceil(k, 8) * 8 * _ceil(n, 8) * 8)",
    says="padding to multiples of eight",
    hint="To multiples of what does this array pad?",
)

misconception(
    "padding_that_gains",
    of="padding_efficiency",
    instead_of="return k * n / (_ceil(k, mxu) * mxu * _ceil(n, mxu) * mxu)",
    wrote="return _ceil(k, mxu) * mxu * _ceil(n, mxu) * mxu / (k * n)",
    says="padded weights as a share of the weights",
    hint="Can an efficiency be above 1?",
)

misconception(
    "a_tile_more_than_needed",
    of="padding_efficiency",
    instead_of="(_ceil(k, mxu) * mxu * _ceil(n, mxu) * mxu)",
    wrote="((k // mxu + 1) * mxu * (n // mxu + 1) * mxu)",
    says="padding that adds a tile where nothing has to be padded",
    hint="How much padding do 128 rows need for an array of 128?",
)

misconception(
    "padded_as_one_row",
    of="padding_efficiency",
    instead_of="(_ceil(k, mxu) * mxu * _ceil(n, mxu) * mxu)",
    wrote="(_ceil(k * n, mxu * mxu) * mxu * mxu)",
    says="weights that fill tiles one after the other, whatever their shape",
    hint="Can the rows that are left over in one tile be laid into another?",
)

# --- dataflow_traffic ---

misconception(
    "unknown_flows_move_like_inputs",
    of="dataflow_traffic",
    within="_spread",
    instead_of='raise ValueError(f"no such dataflow: {dataflow!r}")',
    wrote='dataflow = "is"; return spreads["is"]',
    says="traffic that takes every unknown word for input-stationary",
    hint="What should happen for a word that is none of the three?",
)

misconception(
    "sums_are_never_read_back",
    of="dataflow_traffic",
    instead_of="m * n * row_folds, m * n * (row_folds - 1))",
    wrote="m * n * row_folds, 0)",
    says="unfinished sums that are written and never read",
    hint="The second piece of k adds to something. Where does that come from?",
)

misconception(
    "the_first_piece_reads_too",
    of="dataflow_traffic",
    instead_of="m * n * row_folds, m * n * (row_folds - 1))",
    wrote="m * n * row_folds, m * n * row_folds)",
    says="a first piece that reads sums that do not exist yet",
    hint="What does the very first piece of k add to?",
)

misconception(
    "sums_stay_in_every_flow",
    of="dataflow_traffic",
    instead_of="return Traffic(a, b, m * n * row_folds, m * n * (row_folds - 1))",
    wrote="return Traffic(a, b, m * n, 0)",
    says="sums that stay in the array in every dataflow",
    hint="Where do the sums of a weight-stationary array go when they have passed the last row?",
)

misconception(
    "weights_are_read_again",
    of="dataflow_traffic",
    instead_of='b = k * n * (col_folds if dataflow == "is" else 1)',
    wrote="b = k * n * col_folds",
    says="weights that are read again though they stay",
    hint="How often is what stays in place read?",
)

misconception(
    "streams_are_read_once",
    of="dataflow_traffic",
    instead_of='a = m * k * (col_folds if dataflow == "ws" else 1)',
    wrote="a = m * k",
    says="inputs that are read once for all folds",
    hint="Two tiles of weights side by side need the same inputs. Who keeps them between the folds?",
)

misconception(
    "rows_for_columns",
    of="dataflow_traffic",
    instead_of="return Traffic(m * k * col_folds, k * n * row_folds, m * n, 0)",
    wrote="return Traffic(m * k * row_folds, k * n * col_folds, m * n, 0)",
    says="operands that are read for the folds along the wrong side",
    hint="A row of A meets all columns of B. Over which side of the array do those lie?",
)

misconception(
    "traffic_in_bytes",
    of="dataflow_traffic",
    instead_of="return Traffic(a, b, m * n * row_folds, m * n * (row_folds - 1))",
    wrote="return Traffic(2 * a, 2 * b, 4 * m * n * row_folds, 4 * m * n * (row_folds - 1))",
    says="traffic in bytes",
    hint="Bytes or elements?",
)

# --- summarise_runs ---

misconception(
    "warm_up_once",
    of="summarise_runs",
    instead_of='place, run = (place + 1, run) if step["run"] == run else (0, step["run"])',
    wrote='place, run = (place + 1, run) if run is not None else (0, step["run"])',
    says="a warm-up at the start of the log alone",
    hint="What has a job to do again when it is started anew?",
)

misconception(
    "warm_up_counts",
    of="summarise_runs",
    instead_of='if place >= warm_up and step["ok"]:',
    wrote='if step["ok"]:',
    says="a summary in which warm-up counts as speed",
    hint="Do the first steps of a run say how fast the platform is?",
)

misconception(
    "failures_count",
    of="summarise_runs",
    instead_of='if place >= warm_up and step["ok"]:',
    wrote="if place >= warm_up:",
    says="a summary in which failed steps count",
    hint="What is a step worth that did not finish?",
)

misconception(
    "failures_are_forgotten",
    of="summarise_runs",
    instead_of="        total += seconds\n",
    wrote='        total += seconds if step["ok"] else 0.0\n',
    says="a goodput that forgets the time of failed steps",
    hint="The chips were paid for while the step failed. Where does that time show?",
)

misconception(
    "warm_up_is_free",
    of="summarise_runs",
    instead_of="        total += seconds\n",
    wrote="        total += seconds if place >= warm_up else 0.0\n",
    says="a goodput that forgets the time of the warm-up",
    hint="Warm-up says nothing about speed. Does it take no time either?",
)

misconception(
    "mean_for_median",
    of="summarise_runs",
    instead_of="median = statistics.median(counted)",
    wrote="median = statistics.fmean(counted)",
    says="a mean of the step times",
    hint="One slow step moves the mean. What does it do to the median?",
)

misconception(
    "goodput_in_steps",
    of="summarise_runs",
    instead_of="sum(counted) / total, host",
    wrote="len(counted) / len(log), host",
    says="a goodput that counts steps instead of time",
    hint="Is a failed step of a minute as bad as one of a second?",
)

misconception(
    "host_over_everything",
    of="summarise_runs",
    instead_of="host / sum(counted))",
    wrote="host / total)",
    says="a share of the host in the time of all steps",
    hint="Of which steps is the host's time, and of which the time that it is compared with?",
)

misconception(
    "whole_range_of_the_quartiles",
    of="summarise_runs",
    instead_of="(high - low) / 2 / median",
    wrote="(high - low) / median",
    says="a spread that is the whole distance of the quartiles",
    hint="Half the distance, or all of it?",
)

# --- choose_platform ---

misconception(
    "believes_the_data_sheet",
    of="choose_platform",
    instead_of='work / (platform["n_chips"] * platform["measured_flops_per_chip"] * platform["goodput"])',
    wrote='work / (platform["n_chips"] * platform["peak_flops_per_chip"] * platform["goodput"])',
    says="a choice by peaks",
    hint="Who trains at the peak?",
)

misconception(
    "peak_where_nothing_was_measured",
    of="choose_platform",
    instead_of="""        if platform["measured_flops_per_chip"] is None:
            rejected[platform["name"]] = "unmeasured"
            continue
        seconds = work / (platform["n_chips"] * platform["measured_flops_per_chip"] * platform["goodput"])""",
    wrote="""        rate = platform["measured_flops_per_chip"] or platform["peak_flops_per_chip"]
        seconds = work / (platform["n_chips"] * rate * platform["goodput"])""",
    says="a choice that takes the peak where nothing was measured",
    hint="What does the docstring do with a platform that nobody has measured?",
)

misconception(
    "porting_takes_no_time",
    of="choose_platform",
    instead_of='days = seconds / 86400 + platform["port_days"]',
    wrote="days = seconds / 86400",
    says="a plan in which porting takes no time",
    hint="When does the training start?",
)

misconception(
    "porting_costs_nothing",
    of="choose_platform",
    instead_of=' + platform["port_days"] * engineer_day_cost',
    wrote=" + 0.0 * engineer_day_cost",
    says="a plan in which engineers work for nothing",
    hint="Who brings the model to the platform, and who pays them?",
)

misconception(
    "chips_wait_for_the_port",
    of="choose_platform",
    instead_of='chip_hours = platform["n_chips"] * seconds / 3600',
    wrote='chip_hours = platform["n_chips"] * days * 24',
    says="chips that are paid for while engineers port",
    hint="While what are the chips paid for?",
)

misconception(
    "goodput_speeds_up",
    of="choose_platform",
    instead_of='platform["measured_flops_per_chip"] * platform["goodput"])',
    wrote='platform["measured_flops_per_chip"] / platform["goodput"])',
    says="a goodput that makes training faster the lower it is",
    hint="If half of the time is useful, is the work done in half or in twice the time?",
)

misconception(
    "needs_what_it_has",
    of="choose_platform",
    instead_of='if not set(required_ops) <= set(platform["supported_ops"]):',
    wrote='if not set(platform["supported_ops"]) <= set(required_ops):',
    says="a platform that must not support more than is needed",
    hint="Which set has to lie within which?",
)

misconception(
    "the_last_day_is_too_late",
    of="choose_platform",
    instead_of="elif days > deadline_days:",
    wrote="elif days >= deadline_days:",
    says="a deadline on which it is too late already",
    hint="Is it in time to take exactly the days that there are?",
)

misconception(
    "dearest_of_all",
    of="choose_platform",
    instead_of="cost, days, name = min(left)",
    wrote="cost, days, name = max(left)",
    says="a choice of the dearest platform",
    hint="Lowest or highest cost?",
)

misconception(
    "fastest_of_all",
    of="choose_platform",
    instead_of="cost, days, name = min(left)",
    wrote="cost, days, name = min(left, key=lambda one: one[1:])",
    says="a choice of the fastest platform",
    hint="Cost decides; days only break a tie.",
)

misconception(
    "the_deadline_comes_first",
    of="choose_platform",
    instead_of="""        if not set(required_ops) <= set(platform["supported_ops"]):
            rejected[platform["name"]] = "missing_op"
        elif days > deadline_days:
            rejected[platform["name"]] = "deadline\"""",
    wrote="""        if days > deadline_days:
            rejected[platform["name"]] = "deadline"
        elif not set(required_ops) <= set(platform["supported_ops"]):
            rejected[platform["name"]] = "missing_op\"""",
    says="reasons in another order than the docstring's",
    hint="Which reason is named where two apply?",
)

misconception(
    "first_of_equal_platforms",
    of="choose_platform",
    instead_of="cost, days, name = min(left)",
    wrote="cost, days, name = min(left, key=lambda one: one[0])",
    says="a choice that takes the first of equally cheap platforms",
    hint="Of equal costs, what decides?",
)
