"""Known wrong ways through lesson 7, each with a hint that leads out of it."""

from __future__ import annotations

import math

import numpy as np

from grader.authoring import misconception

# --- zero_state_bytes ---

misconception(
    "no_master_copy",
    of="zero_state_bytes",
    instead_of="optim_bytes: float = 12.0",
    wrote="optim_bytes: float = 8.0",
    says="an Adam without a master copy of the parameters",
    hint="Momentum and variance are 8 of the 12 bytes. What else does mixed-precision Adam keep in 4 bytes?",
)

misconception(
    "gradients_divided_from_stage_1_on",
    of="zero_state_bytes",
    instead_of="if stage >= 2:",
    wrote="if stage >= 1:",
    says="a stage 1 that divides the gradients too",
    hint="Which one thing does stage 1 divide?",
)

misconception(
    "parameters_first",
    of="zero_state_bytes",
    instead_of="""    if stage >= 1:
        optim = optim / dp
    if stage >= 2:
        grads = grads / dp
    if stage >= 3:
        params = params / dp""",
    wrote="""    if stage >= 1:
        params = params / dp
    if stage >= 2:
        grads = grads / dp
    if stage >= 3:
        optim = optim / dp""",
    says="stages that divide the parameters first and the optimizer's state last",
    hint="Which of the three is the largest, and can be divided without sending anything more? ZeRO begins with that.",
)

misconception(
    "parameters_whole_at_stage_3",
    of="zero_state_bytes",
    instead_of="params = params / dp",
    wrote="params = params * 1.0",
    says="a stage 3 that keeps the parameters whole",
    hint="What does a rank hold between two layers at stage 3? With enough ranks the total goes to zero.",
)

misconception(
    "gibibytes",
    of="zero_state_bytes",
    instead_of="StateBytes(params, grads, optim, params + grads + optim)",
    wrote="StateBytes(*(part / 2**30 for part in (params, grads, optim, params + grads + optim)))",
    says="model states in GiB",
    hint="Which unit does the docstring ask for?",
)

misconception(
    "whole_bytes_only",
    of="zero_state_bytes",
    instead_of="optim = optim / dp",
    wrote="optim = optim // dp",
    says="a division that drops the remainder",
    hint="What are 12 bytes divided by 8 ranks: 1, or 1.5? See how the docstring divides.",
)

misconception(
    "gradients_as_wide_as_parameters",
    of="zero_state_bytes",
    instead_of='n * checked_float("grad_bytes", grad_bytes)',
    wrote='n * (checked_float("grad_bytes", grad_bytes) * 0 + param_bytes)',
    says="gradients that are as wide as the parameters, whatever grad_bytes says",
    hint="Some frameworks keep 4-byte gradients beside 2-byte parameters. Which argument tells you?",
)

misconception(
    "stages_beyond_3",
    of="zero_state_bytes",
    instead_of='checked_int("stage", stage, 0, 3)',
    wrote='checked_int("stage", stage, 0)',
    says="a ZeRO with more than three stages",
    hint="Which stages does the docstring name, and what happens for another?",
)

# --- zero_sent_elements ---

misconception(
    "gathers_once_a_pass",
    of="zero_sent_elements",
    instead_of="(2 if reshard_after_forward else 1)",
    wrote="1",
    says="a stage 3 that finds the parameters in place in the backward pass",
    hint="The parameters were freed after the forward pass. Where does the backward pass get them from?",
)

misconception(
    "all_reduce_and_then_all_gather",
    of="zero_sent_elements",
    instead_of="gathered, reduced = once, once",
    wrote="gathered, reduced = once, 2 * once",
    says="a stage 1 that all-reduces gradients of which each rank needs a part",
    hint="A rank updates its part alone. Which half of an all-reduce gives it the gradients of that part?",
)

misconception(
    "all_reduce_passes_once",
    of="zero_sent_elements",
    instead_of="gathered, reduced = 0.0, 2 * once",
    wrote="gathered, reduced = 0.0, once",
    says="an all-reduce that costs as much as a reduce-scatter",
    hint="An all-reduce is a reduce-scatter followed by what? Lesson 6 counted both.",
)

misconception(
    "infinitely_many_ranks",
    of="zero_sent_elements",
    instead_of="once = (dp - 1) / dp * n",
    wrote="once = n if dp > 1 else 0.0",
    says="the volume of infinitely many ranks, for every number of ranks",
    hint="The paper rounds (p-1)/p to 1. Two ranks swap halves: does each send all elements?",
)

misconception(
    "no_micro_steps",
    of="zero_sent_elements",
    instead_of='checked_int("micro_steps", micro_steps, 1)',
    wrote='checked_int("micro_steps", micro_steps, 0)',
    says="a step of no micro-steps",
    hint="Which numbers of micro-steps does the docstring allow?",
)

misconception(
    "all_reduces_every_micro_step",
    of="zero_sent_elements",
    instead_of="gathered, reduced = 0.0, 2 * once",
    wrote="gathered, reduced = 0.0, 2 * once * passes",
    says="a stage 0 that all-reduces at every micro-step",
    hint="Where each rank has room for whole gradients, it can add up first. When must the ranks talk at the latest?",
)

misconception(
    "stage_2_reduces_once",
    of="zero_sent_elements",
    instead_of="gathered, reduced = once, passes * once",
    wrote="gathered, reduced = once, once",
    says="a stage 2 that adds up whole gradients before it reduces them",
    hint="Where would the whole sum of the gradients be kept between micro-steps? Stage 2 has no room for it.",
)

misconception(
    "stage_3_gathers_once_a_step",
    of="zero_sent_elements",
    instead_of="gathered, reduced = passes * (2",
    wrote="gathered, reduced = (2",
    says="a stage 3 that keeps the parameters from one micro-step to the next",
    hint="After each backward pass the parameters are freed again. What does the next micro-step begin with?",
)

misconception(
    "resharding_after_all",
    of="zero_sent_elements",
    instead_of="(2 if reshard_after_forward else 1)",
    wrote="2",
    says="a stage 3 that gathers twice whether or not it frees parameters in between",
    hint="With reshard_after_forward=False, which of the two all-gathers finds everything in place already?",
)

# --- flatten_and_shard ---

misconception(
    "pads_each_tensor",
    of="flatten_and_shard",
    instead_of="[tensor.ravel() for tensor in tensors]",
    wrote="[np.append(t.ravel(), np.zeros(-t.size % ranks, t.dtype)).astype(t.dtype) for t in tensors]",
    says="a padding after each tensor",
    hint="How often are zeros appended, says the docstring? Count them for three tensors of one element and 8 ranks.",
)

misconception(
    "cuts_off_the_remainder",
    of="flatten_and_shard",
    instead_of="""    padding = -len(flat) % ranks
""",
    wrote="""    padding = 0
    flat = flat[: len(flat) // ranks * ranks]
""",
    says="shards that leave out the elements that do not divide evenly",
    hint="Where do the last two of 10 elements go, if each of 4 ranks gets two? Parameters can't be thrown away.",
)

misconception(
    "columns_first",
    of="flatten_and_shard",
    instead_of="tensor.ravel()",
    wrote='tensor.ravel(order="F")',
    says="tensors flattened column by column",
    hint="In C order the last index runs fastest. Which element of [[1, 2], [3, 4]] is the second?",
)

misconception(
    "always_pads",
    of="flatten_and_shard",
    instead_of="-len(flat) % ranks",
    wrote="ranks - len(flat) % ranks",
    says="a padding where none is needed",
    hint="How many zeros do 10 elements need for 5 ranks? What does your formula give?",
)

misconception(
    "deals_like_cards",
    of="flatten_and_shard",
    instead_of="np.split(padded, ranks)",
    wrote="[padded[r::ranks] for r in range(ranks)]",
    says="elements that are dealt out to the ranks one by one",
    hint="Which elements are on rank 0: the first ones, or every p-th? An all-gather just puts shards side by side.",
)

misconception(
    "shards_as_array_split_cuts",
    of="flatten_and_shard",
    instead_of="""    padding = -len(flat) % ranks
    padded = np.concatenate([flat, np.zeros(padding, dtype=flat.dtype)])
    return Sharded(np.split(padded, ranks),""",
    wrote="""    padding = 0
    return Sharded(np.array_split(flat, ranks),""",
    says="shards of different lengths, without padding",
    hint="Are all your shards equally long? Fast collectives want equal pieces; what makes them equal?",
)

misconception(
    "padding_makes_it_float64",
    of="flatten_and_shard",
    instead_of="np.zeros(padding, dtype=flat.dtype)",
    wrote="np.zeros(padding)",
    says="shards that become float64 through their padding",
    hint="Of which type are the zeros that you append, and what becomes of float32 next to them?",
)

misconception(
    "mixed_types_are_promoted",
    of="flatten_and_shard",
    instead_of="len({tensor.dtype for tensor in tensors}) > 1",
    wrote="False",
    says="a flat array that quietly takes tensors of two types",
    hint="What does numpy.concatenate make of float32 and float64? What does the docstring make of them?",
)

# --- unshard ---

misconception(
    "tensors_stay_flat",
    of="unshard",
    instead_of="piece.reshape(shape) for",
    wrote="piece for",
    says="tensors that come back flat",
    hint="The shapes are there for two things: to know how many elements a tensor has, and what else?",
)

misconception(
    "columns_first_again",
    of="unshard",
    instead_of="piece.reshape(shape)",
    wrote='piece.reshape(shape, order="F")',
    says="tensors that are filled column by column",
    hint="In which order were the elements of a matrix laid out when it was flattened?",
)

misconception(
    "own_shard_first",
    of="unshard",
    instead_of="np.concatenate(shards)",
    wrote="np.concatenate([*shards[comm.rank :], *shards[: comm.rank]])",
    says="an array that begins with the rank's own shard",
    hint="comm.all_gather returns the shards by rank. Whose elements come first in the flat array, on every rank?",
)

misconception(
    "every_tensor_from_the_start",
    of="unshard",
    instead_of="flat[end - count : end]",
    wrote="flat[:count]",
    says="tensors that are all cut from the beginning of the flat array",
    hint="Where does the second tensor begin?",
)

misconception(
    "cut_from_the_end",
    of="unshard",
    instead_of="ends = np.cumsum(counts)",
    wrote="ends = np.cumsum(counts) + len(flat) - sum(counts)",
    says="tensors that are cut from the padded end of the flat array",
    hint="At which end of the flat array is the padding?",
)


@misconception(
    "one_all_gather_a_tensor",
    of="unshard",
    says="an all-gather for each tensor",
    hint="One all-gather brings the whole flat array. What do the later ones bring?",
)
def one_all_gather_a_tensor(comm, shard, shapes):
    tensors, start = [], 0
    for shape in shapes:
        shards = comm.all_gather(np.asarray(shard))
        need = -(-sum(math.prod(each) for each in shapes) // comm.size)
        if any(piece.shape != (need,) for piece in shards):
            raise ValueError("shards that do not fit")
        flat, count = np.concatenate(shards), math.prod(shape)
        tensors.append(flat[start : start + count].reshape(shape))
        start += count
    return tensors


@misconception(
    "padding_stays_at_home",
    of="unshard",
    says="an all-gather to which the last ranks give less",
    hint="Why is there padding at all? What does an all-gather want of every rank's piece?",
)
def padding_stays_at_home(comm, shard, shapes):
    counts = [math.prod(shape) for shape in shapes]
    length = -(-sum(counts) // comm.size)
    if np.shape(shard) != (length,):
        raise ValueError("a shard that does not fit")
    real = min(length, max(0, sum(counts) - comm.rank * length))
    flat = np.concatenate(comm.all_gather(np.asarray(shard)[:real]))
    ends = np.cumsum(counts)
    return [flat[end - n : end].reshape(shape) for end, n, shape in zip(ends, counts, shapes)]


misconception(
    "any_shards_will_do",
    of="unshard",
    instead_of="any(piece.shape != (length,) for piece in shards)",
    wrote="len(np.concatenate(shards)) < sum(counts)",
    says="a way back that takes shards of any length",
    hint="Three elements on each of two ranks: can they come from four elements? Then something was lost or mixed up.",
)

# --- zero_adamw_step ---

misconception(
    "sum_of_gradients",
    of="zero_adamw_step",
    instead_of="comm.reduce_scatter(grad) / comm.size",
    wrote="comm.reduce_scatter(grad)",
    says="a step with the sum of the gradients",
    hint="comm.reduce_scatter adds. Adam hides a constant factor well, but m, v, eps and the norm show it.",
)

misconception(
    "norm_of_the_own_chunk",
    of="zero_adamw_step",
    instead_of="norm = math.sqrt(comm.all_reduce(float(g @ g)))",
    wrote="norm = math.sqrt(float(g @ g))",
    says="a clip by the norm of each rank's own chunk",
    hint="If every rank scales its chunk by another factor, which way does the whole gradient point?",
)

misconception(
    "norms_are_added",
    of="zero_adamw_step",
    instead_of="math.sqrt(comm.all_reduce(float(g @ g)))",
    wrote="comm.all_reduce(math.sqrt(float(g @ g)))",
    says="a norm that is the sum of the chunks' norms",
    hint="Chunks (3) and (4) make the vector (3, 4) of length 5. What has to be added so that 5 comes out?",
)

misconception(
    "no_bias_correction",
    of="zero_adamw_step",
    instead_of="m_hat, v_hat = m / (1 - beta1**step), v / (1 - beta2**step)",
    wrote="m_hat, v_hat = m, v",
    says="an Adam without bias correction",
    hint="Both moments begin at 0. How large is m after the first step, as a share of g? Something has to undo that.",
)

misconception(
    "decay_in_the_gradient",
    of="zero_adamw_step",
    instead_of="""    m = beta1 * m + (1 - beta1) * g
""",
    wrote="""    g, weight_decay = g + weight_decay * master, 0.0
    m = beta1 * m + (1 - beta1) * g
""",
    says="a weight decay that goes through the moments, as in Adam with L2",
    hint="The W in AdamW: is the decay divided by the root of v, or taken from the parameters as it is?",
)

misconception(
    "eps_under_the_root",
    of="zero_adamw_step",
    instead_of="(np.sqrt(v_hat) + eps)",
    wrote="np.sqrt(v_hat + eps)",
    says="an Adam with eps under the root",
    hint="Is eps added to the root or to what is under it? For a gradient of 0.1 and eps = 0.1 that is not the same.",
)

misconception(
    "never_gathers_the_parameters",
    of="zero_adamw_step",
    instead_of="AdamWStep(np.concatenate(comm.all_gather(master)), master, m, v)",
    wrote="AdamWStep(master, master, m, v)",
    says="ranks that update their own chunk and keep it to themselves",
    hint="The next forward pass on every rank needs all parameters. Who has the new values of the others?",
)


misconception(
    "all_reduces_the_gradient",
    of="zero_adamw_step",
    instead_of="g = comm.reduce_scatter(grad) / comm.size",
    wrote="g = np.array_split(comm.all_reduce(grad), comm.size)[comm.rank] / comm.size",
    says="ranks that all-reduce the whole gradient and use a chunk of it",
    hint="The result is right, but every rank held the whole mean gradient. Which half of the all-reduce is enough?",
)

misconception(
    "moments_in_place",
    of="zero_adamw_step",
    instead_of="""    grad, master, m, v = (checked_vector("an array", array) for array in (grad, master, m, v))
    chunk = np.array_split(grad, comm.size)[comm.rank].shape
    if not master.shape == m.shape == v.shape == chunk:
        raise ValueError(f"master, m and v must have the shape {chunk}")
    g = comm.reduce_scatter(grad) / comm.size
    if max_norm is not None:
        norm = math.sqrt(comm.all_reduce(float(g @ g)))
        if norm > limit:
            g = g * (limit / norm)
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g**2
""",
    wrote="""    grad, master = (checked_vector("an array", array) for array in (grad, master))
    chunk = np.array_split(grad, comm.size)[comm.rank].shape
    if not master.shape == m.shape == v.shape == chunk:
        raise ValueError(f"master, m and v must have the shape {chunk}")
    g = comm.reduce_scatter(grad) / comm.size
    if max_norm is not None:
        norm = math.sqrt(comm.all_reduce(float(g @ g)))
        if norm > limit:
            g = g * (limit / norm)
    m *= beta1
    m += (1 - beta1) * g
    v *= beta2
    v += (1 - beta2) * g**2
""",
    says="a step that overwrites the moments that were passed in",
    hint="Whose array does m *= beta1 write to? The docstring says what happens to the arguments.",
)

misconception(
    "moments_of_any_length",
    of="zero_adamw_step",
    instead_of="if not master.shape == m.shape == v.shape == chunk:",
    wrote="if master.shape != chunk:",
    says="a step that spreads one moment over the whole chunk",
    hint="numpy stretches an array of one element to any length. Which arrays does the docstring want checked?",
)

misconception(
    "step_zero",
    of="zero_adamw_step",
    instead_of='checked_int("step", step, 1)',
    wrote='checked_int("step", step, 0)',
    says="a training that begins with step 0",
    hint="What does the bias correction divide by at step 0?",
)

# --- fsdp_step ---

misconception(
    "no_gather_in_the_backward_pass",
    of="fsdp_step",
    instead_of="""        if not reshard_after_forward:
            kept""",
    wrote="""        reshard_after_forward = False
        if not reshard_after_forward:
            kept""",
    says="a forward pass that keeps every matrix, whatever it is told",
    hint="After your forward pass, how many matrices does a rank hold whole? What is sharding them good for then?",
)

misconception(
    "gathers_again_what_it_kept",
    of="fsdp_step",
    instead_of="if reshard_after_forward else kept.pop()",
    wrote="if True else kept.pop()",
    says="a backward pass that gathers matrices that are still there",
    hint="With reshard_after_forward=False the matrices were kept, and memory paid for it. What is that to save?",
)

misconception(
    "whole_model_first",
    of="fsdp_step",
    instead_of="""    for i, shape in enumerate(shapes):
        matrix = _whole(comm, own[i], shape)
""",
    wrote="""    everything = [_whole(comm, own[i], shape) for i, shape in enumerate(shapes)]
    for i, matrix in enumerate(everything):
""",
    says="a forward pass that gathers the whole model before it computes anything",
    hint="When your first layer is computed, which matrices are whole? Which of them are needed at that moment?",
)

misconception(
    "all_reduces_gradients",
    of="fsdp_step",
    instead_of="comm.reduce_scatter(padded) / p",
    wrote="np.split(comm.all_reduce(padded), p)[comm.rank] / p",
    says="a backward pass that all-reduces whole gradients and keeps a shard",
    hint="Each rank needs its shard of the mean gradient alone. Which collective gives it that, for half the price?",
)

misconception(
    "gradients_summed_over_ranks",
    of="fsdp_step",
    instead_of="comm.reduce_scatter(padded) / p",
    wrote="comm.reduce_scatter(padded)",
    says="gradients that are summed over the ranks",
    hint="Each rank's loss is a mean over its own samples. What turns a sum of such means into the mean over all?",
)

misconception(
    "loss_of_ones_own_samples",
    of="fsdp_step",
    instead_of="float(loss) / p",
    wrote="float(np.mean(error**2))",
    says="a loss of each rank's own samples",
    hint="Compare the loss on two ranks. What did the all-reduce bring?",
)

misconception(
    "reduces_after_the_backward_pass",
    of="fsdp_step",
    instead_of="""        grads.insert(0, comm.reduce_scatter(padded) / p)
""",
    wrote="""        grads.insert(0, padded)
    grads = [comm.reduce_scatter(padded) / p for padded in grads]
""",
    says="a backward pass that keeps all whole gradients until it is over",
    hint="How much memory do the gradients take at the end of your backward pass? What changes a gradient later?",
)

misconception(
    "prefetches_in_the_backward_pass",
    of="fsdp_step",
    instead_of="""    for i in reversed(range(len(shapes))):
        matrix = _whole(comm, own[i], shapes[i]) if reshard_after_forward else kept.pop()
""",
    wrote="""    ahead = [_whole(comm, own[last], shapes[last])] if reshard_after_forward else []
    for i in reversed(range(len(shapes))):
        matrix = ahead.pop() if reshard_after_forward else kept.pop()
        if reshard_after_forward and i:
            ahead.append(_whole(comm, own[i - 1], shapes[i - 1]))
""",
    says="a backward pass that gathers the next layer before it reduces this one",
    hint="PyTorch does that to hide communication, and holds two layers for it. In which order does the docstring go?",
)

misconception(
    "last_layer_stays_whole",
    of="fsdp_step",
    instead_of="""        matrix = _whole(comm, own[i], shapes[i]) if reshard_after_forward else kept.pop()
""",
    wrote="""        if i < last or not reshard_after_forward:
            matrix = _whole(comm, own[i], shapes[i]) if reshard_after_forward else kept.pop()
""",
    says="a backward pass that finds the last layer still whole",
    hint="Real systems often keep a layer that is needed again at once. What does the docstring say of the last one?",
)

misconception(
    "tanh_without_its_derivative",
    of="fsdp_step",
    instead_of="flow = flow * (1 - inputs[i + 1] ** 2)",
    wrote="pass",
    says="a backward pass that goes through tanh as if it were not there",
    hint="The derivative of tanh(z) is 1 - tanh(z)**2, and tanh(z) is what the layer put out. Where is it used?",
)

misconception(
    "targets_are_stretched",
    of="fsdp_step",
    within="_check_network",
    instead_of="or len(x) != len(y)",
    wrote="",
    says="a loss that compares every sample with the same target",
    hint="What does numpy make of outputs of shape (2, 3) minus targets of shape (1, 3)? Should it?",
)

misconception(
    "no_samples",
    of="fsdp_step",
    within="_check_network",
    instead_of="len(x) == 0 or",
    wrote="",
    says="a step that takes the mean over no samples",
    hint="What is the mean of nothing, and what does the docstring do without samples?",
)

# --- fsdp_forward_time ---

misconception(
    "prefetches_everything",
    of="fsdp_forward_time",
    instead_of="computes[i - limit][1] if i >= limit else 0.0",
    wrote="0.0",
    says="a forward pass that prefetches without a limit",
    hint="A long first layer, short all-gathers: how many layers are whole in your timeline while it is computed?",
)

misconception(
    "never_prefetches",
    of="fsdp_forward_time",
    instead_of="computes[i - limit][1] if i >= limit else 0.0",
    wrote="computes[i - 1][1] if i >= 1 else 0.0",
    says="a forward pass that gathers a layer only when the one before it is computed",
    hint="With limit=2 two layers may be whole at the same time. Which all-gather can run while a layer is computed?",
)

misconception(
    "limit_counts_layers_ahead",
    of="fsdp_forward_time",
    instead_of="computes[i - limit][1] if i >= limit else 0.0",
    wrote="computes[i - limit - 1][1] if i > limit else 0.0",
    says="a limit that does not count the layer that is being computed",
    hint="With limit=1 no two layers may be whole at once. How many are in your timeline?",
)

misconception(
    "all_gathers_in_parallel",
    of="fsdp_forward_time",
    instead_of="start = max(gathered, freed)",
    wrote="start = freed",
    says="all-gathers that share the network without slowing each other",
    hint="One stream gathers, one layer after the other. What does an all-gather wait for besides memory?",
)

misconception(
    "computes_before_it_has_gathered",
    of="fsdp_forward_time",
    instead_of="start = max(gathered, computed)",
    wrote="start = max(gathers[-1][0], computed)",
    says="a layer that is computed while it is being gathered",
    hint="What hides the very first all-gather?",
)

misconception(
    "longer_stream_decides",
    of="fsdp_forward_time",
    instead_of="ForwardTimeline(computed, computed - math.fsum(compute),",
    wrote="ForwardTimeline(max(sum(gather), sum(compute)), max(0.0, sum(gather) - sum(compute)),",
    says="a pass as long as the longer of the two streams",
    hint="Draw two layers. Can the first computation start at 0, and can the last all-gather end after the last layer?",
)

misconception(
    "all_gathers_all_exposed",
    of="fsdp_forward_time",
    instead_of="computed - math.fsum(compute)",
    wrote="math.fsum(gather)",
    says="exposed communication that counts what computation hides",
    hint="An all-gather under a computation delays nobody. For how long is nothing computed at all?",
)

misconception(
    "pass_without_layers",
    of="fsdp_forward_time",
    instead_of="not len(gather) or len(gather)",
    wrote="len(gather)",
    says="a forward pass through no layers at all",
    hint="What does the docstring say of an empty list?",
)

# --- hybrid_reduce ---

misconception(
    "groups_the_other_way_round",
    of="hybrid_reduce",
    instead_of="comm.split(comm.rank // group), comm.split(comm.rank % group)",
    wrote="comm.split(comm.rank % (comm.size // group)), comm.split(comm.rank // (comm.size // group))",
    says="shard groups of ranks that lie far apart",
    hint="Write down six ranks and group = 2. Who is in rank 0's shard group: rank 1, or rank 3?",
)

misconception(
    "groups_that_never_meet",
    of="hybrid_reduce",
    instead_of="""replicas.all_reduce(shard_group.reduce_scatter(flat))
    return total / comm.size""",
    wrote="""shard_group.reduce_scatter(flat)
    return total / group""",
    says="groups that average among themselves alone",
    hint="The other groups have seen other samples. Where does your chunk get their share?",
)

misconception(
    "divided_by_the_group",
    of="hybrid_reduce",
    instead_of="/ comm.size",
    wrote="/ group",
    says="a mean that is divided by the ranks of one group",
    hint="How many gradients have gone into the sum after both collectives?",
)

misconception(
    "whole_gradients_between_groups",
    of="hybrid_reduce",
    instead_of="replicas.all_reduce(shard_group.reduce_scatter(flat))",
    wrote="shard_group.reduce_scatter(replicas.all_reduce(flat))",
    says="an all-reduce of whole gradients between the groups, before anything is scattered",
    hint="The result is right. But how many elements go over the slow links, and how many would after scattering?",
)

misconception(
    "one_world",
    of="hybrid_reduce",
    instead_of="replicas.all_reduce(shard_group.reduce_scatter(flat))",
    wrote="np.array_split(comm.all_reduce(flat), group)[comm.rank % group]",
    says="an all-reduce of whole gradients over all ranks",
    hint="The result is right, as plain data parallelism's is. What does comm.split spare you?",
)

misconception(
    "groups_that_leave_a_rest",
    of="hybrid_reduce",
    instead_of="if comm.size % group:",
    wrote="if group > comm.size:",
    says="groups that need not divide the ranks",
    hint="Three ranks in groups of two: who has the second chunk in the last group?",
)

# --- choose_sharding ---

misconception(
    "no_hybrid_groups",
    of="choose_sharding",
    instead_of="[per_node * k for k in range(1, nodes + 1) if nodes % k == 0]",
    wrote="[world]",
    says="a choice that always shards over the whole cluster",
    hint="If a model fits when it is sharded over one node, what do the slow links between nodes have to carry?",
)

misconception(
    "lowest_stage_that_fits",
    of="choose_sharding",
    instead_of="    least = min(",
    wrote="""    fitting = [choice for choice in fitting if choice.stage == fitting[0].stage]
    least = min(""",
    says="a choice of the lowest stage that fits",
    hint="A higher stage needs less memory, so it may fit into a group of one node. What does that do to its time?",
)

misconception(
    "least_memory",
    of="choose_sharding",
    instead_of="if choice.seconds <= least * (1 + 1e-9)",
    wrote="if choice == fitting[-1]",
    says="a choice of what takes the least memory",
    hint="Memory that is left over is worth nothing. What is to be as small as possible, among all that fits?",
)

misconception(
    "highest_stage_of_equals",
    of="choose_sharding",
    instead_of="return next(choice for choice in fitting if",
    wrote="return next(choice for choice in reversed(fitting) if",
    says="a choice of the highest of the stages that are equally fast",
    hint="On one node stages 0, 1 and 2 take equally long. Which of them is wanted?",
)

misconception(
    "replicas_never_meet",
    of="choose_sharding",
    instead_of="Sharding(stage, group, replicas, inside + across)",
    wrote="Sharding(stage, group, replicas, inside + (across if stage == 0 else 0.0))",
    says="replicas that never exchange their gradients",
    hint="Each group has seen its own samples. What happens once a step, after the collectives within the groups?",
)

misconception(
    "replicas_exchange_whole_gradients",
    of="choose_sharding",
    instead_of="2 * n / group / (intra if nodes == 1 else inter)",
    wrote="2 * n / (intra if nodes == 1 else inter)",
    says="replicas that exchange whole gradients",
    hint="After the reduce-scatter, how much of the gradient does one rank hold?",
)

misconception(
    "micro_steps_for_free",
    of="choose_sharding",
    instead_of="{0: 0, 1: 2, 2: passes + 1, 3: 3 * passes}[stage]",
    wrote="{0: 0, 1: 2, 2: 2, 3: 3}[stage]",
    says="stages that send the same however many micro-steps there are",
    hint="Which collectives happen in every micro-step, and which once a step?",
)

misconception(
    "fast_links_everywhere",
    of="choose_sharding",
    instead_of="(intra if group <= per_node else inter)",
    wrote="intra",
    says="shard groups that are fast even across nodes",
    hint="A ring goes through all of its ranks. If it crosses from node to node, which link sets the pace?",
)

misconception(
    "states_divided_by_the_cluster",
    of="choose_sharding",
    instead_of="""        params, grads = 2 * n / (group if stage >= 3 else 1), 2 * n / (group if stage >= 2 else 1)
        if params + grads + 12 * n / group > memory:""",
    wrote="""        params, grads = 2 * n / (world if stage >= 3 else 1), 2 * n / (world if stage >= 2 else 1)
        if params + grads + 12 * n / (world if stage >= 1 else 1) > memory:""",
    says="model states that are divided over the whole cluster, whatever the group",
    hint="Replicas hold the same. By what are the states of one group divided?",
)

misconception(
    "something_always_fits",
    of="choose_sharding",
    instead_of='raise ValueError("no stage and no group fits into memory")',
    wrote="return Sharding(3, world, 1, 3 * passes * (world - 1) / world * 2 * n / inter)",
    says="a choice of full sharding where even that does not fit",
    hint="Sixteen bytes a parameter, divided by all ranks: what if that is still too much?",
)
