"""Known wrong ways through lesson 6, each with a hint that leads out of it."""

from __future__ import annotations

import numpy as np

from grader.authoring import misconception

# --- bus_bandwidth ---

misconception(
    "all_reduce_passes_once",
    of="bus_bandwidth",
    instead_of='"all_reduce": 2 * (n - 1) / n',
    wrote='"all_reduce": (n - 1) / n',
    says="a bus bandwidth that counts the data of an all-reduce once",
    hint="Every element has to travel to where it is summed, and the sum has to travel back. How many passes is that?",
)

misconception(
    "all_reduce_factor_upside_down",
    of="bus_bandwidth",
    instead_of='"all_reduce": 2 * (n - 1) / n',
    wrote='"all_reduce": n / (2 * (n - 1))',
    says="a bus bandwidth with the all-reduce factor upside down",
    hint="From 2 ranks on, each rank must send at least as much as the buffer holds. Can busbw be below algbw then?",
)

misconception(
    "all_reduce_factor_of_infinitely_many_ranks",
    of="bus_bandwidth",
    instead_of='"all_reduce": 2 * (n - 1) / n',
    wrote='"all_reduce": 2.0',
    says="a bus bandwidth that takes the limit of many ranks for every number of ranks",
    hint="Two ranks swap halves and swap them back. How often does the buffer cross a link then: twice, or once?",
)

misconception(
    "all_gather_sends_one_shard",
    of="bus_bandwidth",
    instead_of="algbw = size / time",
    wrote='algbw = size * (n if op == "all_gather" else 1) / time',
    says="an all-gather whose size is one rank's contribution",
    hint="In this course, as in nccl-tests, the size of an all-gather is the size of its result. What is given to you?",
)

misconception(
    "all_to_all_sends_to_itself",
    of="bus_bandwidth",
    instead_of='"all_to_all": (n - 1) / n',
    wrote='"all_to_all": 1.0',
    says="an all-to-all in which each rank also sends its own part over the link",
    hint="One of a rank's n parts is for itself. Does that one cross the link?",
)

misconception(
    "broadcast_like_all_gather",
    of="bus_bandwidth",
    instead_of='"broadcast": 1.0',
    wrote='"broadcast": (n - 1) / n',
    says="a broadcast that starts out spread over the ranks",
    hint="Which rank has the data at the start of a broadcast, and how much of it has to leave through that one link?",
)

misconception(
    "gigabytes_per_second",
    of="bus_bandwidth",
    instead_of="algbw = size / time",
    wrote="algbw = size / time / 1e9",
    says="bandwidths in GB per second",
    hint="nccl-tests prints GB/s; which unit does the docstring ask for?",
)

misconception(
    "bits_per_second",
    of="bus_bandwidth",
    instead_of="algbw = size / time",
    wrote="algbw = 8 * size / time",
    says="bandwidths in bits per second",
    hint="Links are sold in bits per second; the docstring asks for another unit.",
)

misconception(
    "one_rank_is_a_collective",
    of="bus_bandwidth",
    instead_of='checked_int("ranks", n, 2)',
    wrote='checked_int("ranks", n, 1)',
    says="a bandwidth of one rank that talks to nobody",
    hint="What is the bus bandwidth of an all-reduce on one rank? Read what the docstring says of it.",
)

# --- collective_time ---

misconception(
    "ring_of_p_steps",
    of="collective_time",
    instead_of="return 2 * (p - 1) * alpha + 2 * share * beta + share * gamma",
    wrote="return 2 * p * alpha + 2 * n * beta + n * gamma",
    says="a ring all-reduce of 2p rounds",
    hint="How many rounds pass before a chunk has met every rank, if it starts on one of them?",
)

misconception(
    "beta_is_a_bandwidth",
    of="collective_time",
    instead_of='checked_float("alpha", alpha), checked_float("beta", beta)',
    wrote='checked_float("alpha", alpha), (1 / beta if beta else 0.0)',
    says="a model whose beta is bytes per second",
    hint="A faster link has a smaller beta: look at its unit in the docstring.",
)

misconception(
    "whole_buffer_each_round",
    of="collective_time",
    instead_of="share = (p - 1) / p * n",
    wrote="share = (p - 1) * n",
    says="a ring that sends the whole buffer in every round",
    hint="What does cutting the buffer into p chunks buy? How large is one message of the ring?",
)

misconception(
    "ring_adds_twice",
    of="collective_time",
    instead_of="return 2 * (p - 1) * alpha + 2 * share * beta + share * gamma",
    wrote="return 2 * (p - 1) * alpha + 2 * share * (beta + gamma)",
    says="a ring all-reduce that also adds in its all-gather",
    hint="In which of the two phases are received chunks added, and in which do they replace?",
)

misconception(
    "latency_once",
    of="collective_time",
    instead_of="return 2 * (p - 1) * alpha + 2 * share * beta + share * gamma",
    wrote="return alpha + 2 * share * beta + share * gamma",
    says="a ring all-reduce that pays the latency once",
    hint="A rank can't send in round 2 what it has not received in round 1. What does that do to the latencies?",
)

misconception(
    "rabenseifner_latency_of_one_phase",
    of="collective_time",
    instead_of="return 2 * levels * alpha + share * (2 * beta + gamma)",
    wrote="return levels * alpha + share * (2 * beta + gamma)",
    says="a Rabenseifner all-reduce that pays the latency of the halving alone",
    hint="Count the rounds in which something is sent: the doubling has as many as the halving.",
)

misconception(
    "tree_one_way",
    of="collective_time",
    instead_of="return 2 * levels * (alpha + n * beta) + levels * n * gamma",
    wrote="return levels * (alpha + n * beta) + levels * n * gamma",
    says="a tree that only reduces",
    hint="When the root has the sum, who else has it?",
)

misconception(
    "tree_adds_on_the_way_down",
    of="collective_time",
    instead_of="return 2 * levels * (alpha + n * beta) + levels * n * gamma",
    wrote="return 2 * levels * (alpha + n * beta + n * gamma)",
    says="a tree that adds on the way down as well",
    hint="On the way down a rank receives the finished sum. What is left to add?",
)

misconception(
    "levels_rounded_down",
    of="collective_time",
    instead_of="(p - 1).bit_length()",
    wrote="p.bit_length() - 1",
    says="a tree whose depth is rounded down",
    hint="How many levels does a tree of 5 ranks have: can two rounds reach them all?",
)

misconception(
    "reduce_scatter_adds_nothing",
    of="collective_time",
    instead_of="return (p - 1) * alpha + share * (beta + gamma)",
    wrote="return (p - 1) * alpha + share * beta",
    says="a reduce-scatter that adds for nothing",
    hint="What happens to a chunk when it arrives in a reduce-scatter, and which constant prices that?",
)

misconception(
    "all_gather_adds",
    of="collective_time",
    instead_of="return (p - 1) * (alpha + n / p * beta)",
    wrote="return (p - 1) * (alpha + n / p * (beta + gamma))",
    says="an all-gather that adds what it receives",
    hint="An all-gather puts chunks side by side. Is anything added?",
)

misconception(
    "all_to_all_sends_everything_to_everyone",
    of="collective_time",
    instead_of="return (p - 1) * alpha + share * beta\n    raise",
    wrote="return (p - 1) * (alpha + n * beta)\n    raise",
    says="an all-to-all that sends its whole buffer to every rank",
    hint="Which part of its buffer does a rank send to one other rank: all of it, or one p-th?",
)

misconception(
    "any_number_of_ranks_halves",
    of="collective_time",
    instead_of='algorithm in ("rabenseifner", "recursive_doubling") and p & (p - 1)',
    wrote='algorithm == "" and p & (p - 1)',
    says="a model that halves six ranks",
    hint="Who is the partner of rank 3 at distance 4, if there are six ranks? See what the docstring asks for.",
)

# --- fit_alpha_beta ---

misconception(
    "least_squares_in_seconds",
    of="fit_alpha_beta",
    within="_relative_least_squares",
    instead_of="""    uu = math.fsum(1 / seconds**2 for _, seconds in points)
    uv = math.fsum(size / seconds**2 for size, seconds in points)
    vv = math.fsum((size / seconds) ** 2 for size, seconds in points)
    u1 = math.fsum(1 / seconds for _, seconds in points)
    v1 = math.fsum(size / seconds for size, seconds in points)""",
    wrote="""    uu, uv = float(len(points)), math.fsum(size for size, _ in points)
    vv = math.fsum(size**2 for size, _ in points)
    u1 = math.fsum(seconds for _, seconds in points)
    v1 = math.fsum(size * seconds for size, seconds in points)""",
    says="a fit that minimises errors in seconds",
    hint="Squares of seconds come from the largest messages alone, which know nothing of alpha. Divide each by what?",
)

misconception(
    "weights_by_one_over_time",
    of="fit_alpha_beta",
    within="_relative_least_squares",
    instead_of="""    uu = math.fsum(1 / seconds**2 for _, seconds in points)
    uv = math.fsum(size / seconds**2 for size, seconds in points)
    vv = math.fsum((size / seconds) ** 2 for size, seconds in points)
    u1 = math.fsum(1 / seconds for _, seconds in points)
    v1 = math.fsum(size / seconds for size, seconds in points)""",
    wrote="""    uu = math.fsum(1 / seconds for _, seconds in points)
    uv = math.fsum(size / seconds for size, seconds in points)
    vv = math.fsum(size**2 / seconds for size, seconds in points)
    u1, v1 = float(len(points)), math.fsum(size for size, _ in points)""",
    says="a fit that weights squared errors by one over the time",
    hint="The error is divided by the time before it is squared. By what is the square divided, then?",
)

misconception(
    "mean_of_repeats",
    of="fit_alpha_beta",
    instead_of="np.median(runs[size])",
    wrote="np.mean(runs[size])",
    says="a fit to the mean of repeated runs",
    hint="One run of three was stalled for a second. What does that do to the mean, and what to the middle one?",
)

misconception(
    "one_line_through_all_regimes",
    of="fit_alpha_beta",
    instead_of="if all(abs((alpha + beta * size) / seconds - 1) <= tolerance for size, seconds in points):",
    wrote="if points:",
    says="a fit of one line through all regimes",
    hint="How far from the returned line is the worst point? Above max_error it is no line; what goes first?",
)

misconception(
    "drops_the_largest_size",
    of="fit_alpha_beta",
    instead_of="points = points[1:]",
    wrote="points = points[:-1]",
    says="a fit that drops large messages until the small ones lie on a line",
    hint="Which end has the other regime, says the docstring: the small or the large messages?",
)

misconception(
    "drops_the_worst_point",
    of="fit_alpha_beta",
    instead_of="points = points[1:]",
    wrote="points.remove(max(points, key=lambda point: abs((alpha + beta * point[0]) / point[1] - 1)))",
    says="a fit that drops the point that fits worst",
    hint="A fit through two regimes may be worst at a good point. Which point does the docstring drop, "
    "whatever its error?",
)

misconception(
    "two_points_make_a_line",
    of="fit_alpha_beta",
    instead_of="while len(points) >= 3:",
    wrote="while len(points) >= 2:",
    says="a fit that is content with two points",
    hint="Through two points there is always a line. From how many on does it say something?",
)

misconception(
    "negative_latency",
    of="fit_alpha_beta",
    within="_relative_least_squares",
    instead_of="if alpha < 0:",
    wrote="if False:",
    says="a fit that returns negative latencies",
    hint="What does noise do to alpha where every message is large? No message takes less than no time.",
)

misconception(
    "clamped_without_a_second_fit",
    of="fit_alpha_beta",
    within="_relative_least_squares",
    instead_of="alpha, beta = 0.0, v1 / vv",
    wrote="alpha = 0.0",
    says="a fit that sets a negative alpha to 0 and leaves beta as it was",
    hint="beta was chosen together with the negative alpha. Which beta is best when alpha is 0?",
)

misconception(
    "negative_time_per_byte",
    of="fit_alpha_beta",
    within="_relative_least_squares",
    instead_of="if beta < 0:",
    wrote="if False:",
    says="a fit in which larger messages take less time",
    hint="The rule for a negative alpha is also the rule for a negative beta.",
)

misconception(
    "constants_swapped",
    of="fit_alpha_beta",
    instead_of="return AlphaBeta(alpha, beta)",
    wrote="return AlphaBeta(beta, alpha)",
    says="alpha and beta in each other's place",
    hint="numpy.polyfit returns the highest power first. Which of its two numbers is alpha?",
)

misconception(
    "bandwidth_for_beta",
    of="fit_alpha_beta",
    instead_of="return AlphaBeta(alpha, beta)",
    wrote="return AlphaBeta(alpha, 1 / beta if beta else math.inf)",
    says="a fit whose beta is a bandwidth",
    hint="beta is seconds per byte: what a byte costs, not how many a second has.",
)

# --- reduce_scatter ---

misconception(
    "owns_its_own_chunk",
    of="reduce_scatter",
    instead_of="outgoing, incoming = (rank - step) % p, (rank - step - 1) % p",
    wrote="outgoing, incoming = (rank - step - 1) % p, (rank - step - 2) % p",
    says="a reduce-scatter that is one chunk ahead of the rule",
    hint="Which chunk does rank r send at step 0? Follow it around the ring: where is it when all have added to it?",
)

misconception(
    "returns_chunk_of_its_rank",
    of="reduce_scatter",
    instead_of="return chunks[(rank + 1) % p]",
    wrote="return chunks[rank]",
    says="a reduce-scatter that returns a chunk that is not complete",
    hint="Which chunk did the rank add to last? That one has met every rank.",
)

misconception(
    "reduce_scatter_one_step_too_many",
    of="reduce_scatter",
    instead_of="for step in range(p - 1):",
    wrote="for step in range(p):",
    says="a reduce-scatter of p steps",
    hint="A chunk starts on one rank and has to meet p - 1 others. How many messages is that?",
)

misconception(
    "reduce_scatter_remainder_dropped",
    of="reduce_scatter",
    instead_of='np.array_split(checked_vector("buffer", buffer), p)',
    wrote='list(checked_vector("buffer", buffer)[: len(buffer) // p * p].reshape(p, -1))',
    says="a reduce-scatter that drops the elements that do not divide evenly",
    hint="Chunks of n // p elements leave n % p behind. How does numpy.array_split cut 5 elements for 2 ranks?",
)

misconception(
    "long_chunks_first",
    of="reduce_scatter",
    instead_of='np.array_split(checked_vector("buffer", buffer), p)',
    wrote='[checked_vector("buffer", buffer)[-(-len(buffer) // p) * i :][: -(-len(buffer) // p)] for i in range(p)]',
    says="a reduce-scatter with chunks of n / p rounded up and a short last one",
    hint="How does numpy.array_split cut 9 elements for 4 ranks: as 3, 3, 3, 0 or as 3, 2, 2, 2?",
)

misconception(
    "received_chunk_replaces",
    of="reduce_scatter",
    instead_of="chunks[incoming] += comm",
    wrote="chunks[incoming] = comm",
    says="a reduce-scatter that passes chunks on without adding its own",
    hint="What has a rank's own part of the buffer to do with the chunk that it has just received?",
)

misconception(
    "reduce_scatter_around_the_other_way",
    of="reduce_scatter",
    instead_of="dest=(rank + 1) % p, source=(rank - 1) % p",
    wrote="dest=(rank - 1) % p, source=(rank + 1) % p",
    says="a reduce-scatter that sends to the left with the numbering of the right",
    hint="Draw three ranks in a circle. To which neighbour does the rule send, and which chunk does that one expect?",
)


@misconception(
    "everything_to_everyone",
    of="reduce_scatter",
    says="a reduce-scatter in which every rank sends to every other",
    hint="Each rank has two neighbours. Can a chunk collect the sum on its way, instead of p - 1 copies "
    "going to one rank?",
)
def everything_to_everyone(comm, buffer):
    chunks = np.array_split(np.array(buffer, dtype=np.float64), comm.size)
    for other in range(comm.size):
        if other != comm.rank:
            comm.send(chunks[(other + 1) % comm.size], dest=other)
    own = chunks[(comm.rank + 1) % comm.size]
    for other in range(comm.size):
        if other != comm.rank:
            own = own + comm.recv(source=other)
    return own


misconception(
    "adds_into_the_callers_buffer",
    of="reduce_scatter",
    instead_of='checked_vector("buffer", buffer)',
    wrote='(np.asarray(buffer) if np.ndim(buffer) == 1 else checked_vector("buffer", buffer))',
    says="a reduce-scatter that adds into the caller's buffer",
    hint="numpy.array_split returns views. Whose memory does += write to?",
)

misconception(
    "flattens",
    of="reduce_scatter",
    instead_of='checked_vector("buffer", buffer)',
    wrote="np.array(buffer, dtype=np.float64).reshape(-1)",
    says="a reduce-scatter that takes a buffer of any shape",
    hint="What does the docstring say of a buffer with two dimensions?",
)

# --- all_gather ---


@misconception(
    "brings_the_chunk_of_its_rank",
    of="all_gather",
    says="an all-gather in which rank r brings chunk r",
    hint="reduce_scatter leaves rank r with another chunk than the r-th. Which one? Where does it go in the result?",
)
def brings_the_chunk_of_its_rank(comm, chunk):
    p, rank = comm.size, comm.rank
    chunks = {rank: np.array(chunk, dtype=np.float64)}
    for step in range(p - 1):
        received = comm.sendrecv(chunks[(rank - step) % p], dest=(rank + 1) % p, source=(rank - 1) % p)
        chunks[(rank - step - 1) % p] = received
    return np.concatenate([chunks[index] for index in range(p)])


misconception(
    "order_of_arrival",
    of="all_gather",
    instead_of="[chunks[index] for index in range(p)]",
    wrote="list(chunks.values())",
    says="an all-gather that keeps the chunks in the order of their arrival",
    hint="Each rank receives the chunks in another order. By what can all of them put them in the same one?",
)

misconception(
    "never_passes_on",
    of="all_gather",
    instead_of="comm.sendrecv(chunks[outgoing], ",
    wrote="comm.sendrecv(chunks[(rank + 1) % p], ",
    says="an all-gather in which each rank sends its own chunk at every step",
    hint="Your left neighbour's chunk has reached you. How does it get to your right neighbour?",
)

misconception(
    "all_gather_one_step_too_many",
    of="all_gather",
    instead_of="for step in range(p - 1):",
    wrote="for step in range(p):",
    says="an all-gather of p steps",
    hint="How many chunks does a rank lack at the start? It receives one a step.",
)

misconception(
    "all_chunks_as_long_as_ones_own",
    of="all_gather",
    instead_of="source=(rank - 1) % p)",
    wrote="source=(rank - 1) % p)[: len(chunk)]",
    says="an all-gather that cuts every chunk to the length of its own",
    hint="Five elements on two ranks make chunks of 3 and 2. How long is the one that you receive?",
)


@misconception(
    "passes_on_all_it_has",
    of="all_gather",
    says="an all-gather that sends everything it has at every step",
    hint="Your neighbour already has what you sent it before. Which one chunk is new to it?",
)
def passes_on_all_it_has(comm, chunk):
    p, rank = comm.size, comm.rank
    chunks = {(rank + 1) % p: np.array(chunk, dtype=np.float64)}
    for _ in range(p - 1):
        chunks.update(comm.sendrecv(list(chunks.items()), dest=(rank + 1) % p, source=(rank - 1) % p))
    return np.concatenate([chunks[index] for index in range(p)])


@misconception(
    "straight_to_everyone",
    of="all_gather",
    says="an all-gather in which each rank sends its chunk to every other",
    hint="With whom may a rank talk in a ring? A chunk reaches the others by being passed on.",
)
def straight_to_everyone(comm, chunk):
    p, rank = comm.size, comm.rank
    for distance in range(1, p):
        comm.send(chunk, dest=(rank + distance) % p)
    chunks = {(rank + 1) % p: np.array(chunk, dtype=np.float64)}
    for distance in range(1, p):
        chunks[(rank - distance + 1) % p] = comm.recv(source=(rank - distance) % p)
    return np.concatenate([chunks[index] for index in range(p)])


misconception(
    "list_of_chunks",
    of="all_gather",
    instead_of="return np.concatenate([chunks[index] for index in range(p)])",
    wrote="return [chunks[index] for index in range(p)]",
    says="an all-gather that returns a list of chunks",
    hint="How many arrays does the example show on each rank?",
)

misconception(
    "all_gather_flattens",
    of="all_gather",
    instead_of='checked_vector("chunk", chunk)',
    wrote="np.array(chunk, dtype=np.float64).reshape(-1)",
    says="an all-gather that takes a chunk of any shape",
    hint="What does the docstring say of a chunk with two dimensions?",
)

# --- ring_all_reduce ---

misconception(
    "drops_the_remainder",
    of="ring_all_reduce",
    instead_of='np.array_split(checked_vector("buffer", buffer), p)',
    wrote='list(checked_vector("buffer", buffer)[: len(buffer) // p * p].reshape(p, -1))',
    says="an all-reduce that drops the elements that do not divide evenly",
    hint="Chunks of n // p elements leave n % p behind. How does numpy.array_split cut 5 elements for 2 ranks?",
)

misconception(
    "phases_out_of_step",
    of="ring_all_reduce",
    instead_of="""sendrecv(chunks[(rank - step) % p], dest=right, source=left)
        chunks[(rank - step - 1) % p] += received""",
    wrote="""sendrecv(chunks[(rank - step - 1) % p], dest=right, source=left)
        chunks[(rank - step - 2) % p] += received""",
    says="a ring whose all-gather starts from another chunk than its reduce-scatter ends with",
    hint="Which chunk is complete on rank r after the reduce-scatter? The all-gather has to send that one first.",
)

misconception(
    "gathers_from_its_own_number",
    of="ring_all_reduce",
    instead_of="""sendrecv(chunks[(rank + 1 - step) % p], dest=right, source=left)
        chunks[(rank - step) % p] = gathered""",
    wrote="""sendrecv(chunks[(rank - step) % p], dest=right, source=left)
        chunks[(rank - step - 1) % p] = gathered""",
    says="a ring whose all-gather starts with chunk r on rank r",
    hint="Follow chunk 0 through the reduce-scatter of 3 ranks. On which rank is it complete?",
)


@misconception(
    "numbers_chunks_one_ahead",
    of="ring_all_reduce",
    says="a ring that is one chunk ahead of the rule in both phases",
    hint="The sum is right, but rank r ends the reduce-scatter with chunk r. Which chunk does it send "
    "first, by the rule?",
)
def numbers_chunks_one_ahead(comm, buffer, *, average=False):
    p, rank = comm.size, comm.rank
    right, left = (rank + 1) % p, (rank - 1) % p
    chunks = np.array_split(np.array(buffer, dtype=np.float64), p)
    for step in range(p - 1):
        chunks[(rank - step - 2) % p] += comm.sendrecv(chunks[(rank - step - 1) % p], dest=right, source=left)
    if average:
        chunks[rank] /= p
    for step in range(p - 1):
        chunks[(rank - step - 1) % p] = comm.sendrecv(chunks[(rank - step) % p], dest=right, source=left)
    return np.concatenate(chunks)


misconception(
    "ring_one_step_too_many",
    of="ring_all_reduce",
    instead_of="for step in range(p - 1):\n        received",
    wrote="for step in range(p):\n        received",
    says="a ring whose reduce-scatter takes p steps",
    hint="A chunk starts on one rank and has to meet p - 1 others. How many messages is that?",
)

misconception(
    "gather_phase_adds",
    of="ring_all_reduce",
    instead_of="chunks[(rank - step) % p] = gathered",
    wrote="chunks[(rank - step) % p] += gathered",
    says="a ring that goes on adding in its all-gather",
    hint="What arrives in the second phase is the whole sum of that chunk. What is to become of your own part of it?",
)

misconception(
    "divides_twice",
    of="ring_all_reduce",
    instead_of="return np.concatenate(chunks)",
    wrote="return np.concatenate(chunks) / (p if average else 1)",
    says="a mean that is divided by the number of ranks twice",
    hint="The owner of a chunk has divided it already. Who else does?",
)

misconception(
    "never_divides",
    of="ring_all_reduce",
    instead_of="if average:",
    wrote="if False:",
    says="an all-reduce whose mean is the sum",
    hint="What does average=True change?",
)

misconception(
    "mean_of_means",
    of="ring_all_reduce",
    instead_of="""        chunks[(rank - step - 1) % p] += received
    if average:
        chunks[right] /= p""",
    wrote="""        chunks[(rank - step - 1) % p] += received
        if average:
            chunks[(rank - step - 1) % p] /= 2""",
    says="an average taken anew at every step",
    hint="The mean of 8 and the mean of 4 and 0 is 5. What is the mean of 0, 4 and 8? When can you divide?",
)

misconception(
    "left_for_right",
    of="ring_all_reduce",
    instead_of="right, left = (rank + 1) % p, (rank - 1) % p",
    wrote="right, left = (rank - 1) % p, (rank + 1) % p",
    says="a ring that sends to the left with the numbering of the right",
    hint="Draw three ranks in a circle. Which chunk does the neighbour that you send to expect from you?",
)

misconception(
    "stops_after_reduce_scatter",
    of="ring_all_reduce",
    instead_of="chunks[(rank - step) % p] = gathered",
    wrote="pass",
    says="a ring that keeps its partial sums in the all-gather",
    hint="After p - 1 steps one chunk is complete on each rank. What has to happen to the others that it holds?",
)


@misconception(
    "whole_buffers_to_everyone",
    of="ring_all_reduce",
    says="an all-reduce in which every rank sends its buffer to every other",
    hint="The sum is right. How many elements did each rank send, and how many does a ring?",
)
def whole_buffers_to_everyone(comm, buffer, *, average=False):
    for other in range(comm.size):
        if other != comm.rank:
            comm.send(buffer, dest=other)
    total = np.array(buffer, dtype=np.float64)
    for other in range(comm.size):
        if other != comm.rank:
            total += comm.recv(source=other)
    return total / comm.size if average else total


@misconception(
    "parameter_server",
    of="ring_all_reduce",
    says="an all-reduce in which rank 0 collects, adds and hands out",
    hint="Which rank's link carries everything here? In a ring all links carry the same.",
)
def parameter_server(comm, buffer, *, average=False):
    if comm.rank:
        comm.send(buffer, dest=0)
        return comm.recv(source=0)
    total = np.array(buffer, dtype=np.float64)
    for other in range(1, comm.size):
        total += comm.recv(source=other)
    total = total / comm.size if average else total
    for other in range(1, comm.size):
        comm.send(total, dest=other)
    return total


misconception(
    "ring_adds_into_the_callers_buffer",
    of="ring_all_reduce",
    instead_of='checked_vector("buffer", buffer)',
    wrote='(np.asarray(buffer) if np.ndim(buffer) == 1 else checked_vector("buffer", buffer))',
    says="an all-reduce that adds into the caller's buffer",
    hint="numpy.array_split returns views. Whose memory does += write to?",
)

misconception(
    "ring_flattens",
    of="ring_all_reduce",
    instead_of='checked_vector("buffer", buffer)',
    wrote="np.array(buffer, dtype=np.float64).reshape(-1)",
    says="an all-reduce that takes a buffer of any shape",
    hint="What does the docstring say of a buffer with two dimensions?",
)

# --- tree_all_reduce ---

misconception(
    "depth_rounded_down",
    of="tree_all_reduce",
    instead_of="range((p - 1).bit_length())",
    wrote="range(p.bit_length() - 1)",
    says="a tree whose depth is rounded down, so that the last ranks are left out",
    hint="Rank 4 of 5 is at distance 4 from its parent. For how many distances does your loop run?",
)

misconception(
    "inner_ranks_count_twice",
    of="tree_all_reduce",
    instead_of="total += comm.recv(source=rank + distance)",
    wrote="total = total + buffer + comm.recv(source=rank + distance)",
    says="a tree whose inner ranks add their own buffer with every child",
    hint="How often does rank 0's own buffer go into the sum, if it has three children?",
)

misconception(
    "down_in_the_order_of_up",
    of="tree_all_reduce",
    instead_of="for distance in reversed(distances):",
    wrote="for distance in distances:",
    says="a tree that hands the sum down to the leaves before the inner ranks have it",
    hint="With 4 ranks, rank 3 gets the sum from rank 2. From whom, and when, does rank 2 get it?",
)

misconception(
    "only_the_root_has_the_sum",
    of="tree_all_reduce",
    instead_of="total = comm.recv(source=rank - distance)",
    wrote="comm.recv(source=rank - distance)",
    says="a tree whose ranks return their partial sums",
    hint="What arrives from the parent on the way down? Do you use it?",
)

misconception(
    "sends_its_own_buffer_up",
    of="tree_all_reduce",
    instead_of="comm.send(total, dest=rank - distance)",
    wrote="comm.send(buffer, dest=rank - distance)",
    says="a tree that loses what the grandchildren sent",
    hint="Rank 3 sends to rank 2. What has to be in the message from rank 2 to rank 0?",
)


@misconception(
    "everyone_talks_to_the_root",
    of="tree_all_reduce",
    says="a tree of one level: every rank sends to rank 0 and gets the sum from it",
    hint="Rank 0 receives p - 1 messages one after the other. Who could take some of them off it?",
)
def everyone_talks_to_the_root(comm, buffer):
    if comm.rank:
        comm.send(buffer, dest=0)
        return comm.recv(source=0)
    total = np.array(buffer, dtype=np.float64)
    for other in range(1, comm.size):
        total += comm.recv(source=other)
    for other in range(1, comm.size):
        comm.send(total, dest=other)
    return total


@misconception(
    "tree_up_and_star_down",
    of="tree_all_reduce",
    says="a tree on the way up, after which rank 0 sends the sum to everyone itself",
    hint="How many rounds does rank 0 need for p - 1 messages? Ranks that have the sum can help to spread it.",
)
def tree_up_and_star_down(comm, buffer):
    p, rank = comm.size, comm.rank
    total = np.array(buffer, dtype=np.float64)
    distance = 1
    while distance < p and rank % (2 * distance) == 0:
        if rank + distance < p:
            total += comm.recv(source=rank + distance)
        distance *= 2
    if rank:
        comm.send(total, dest=rank - distance)
        return comm.recv(source=0)
    for other in range(1, p):
        comm.send(total, dest=other)
    return total


@misconception(
    "nearest_child_first",
    of="tree_all_reduce",
    says="a tree that serves its smallest subtree first on the way down",
    hint="The child with the most ranks below it has the most left to do. When should it get the sum?",
)
def nearest_child_first(comm, buffer):
    p, rank = comm.size, comm.rank
    total = np.array(buffer, dtype=np.float64)
    children, distance = [], 1
    while distance < p and rank % (2 * distance) == 0:
        if rank + distance < p:
            children.append(rank + distance)
        distance *= 2
    for child in children:
        total += comm.recv(source=child)
    if rank:
        comm.send(total, dest=rank - distance)
        total = comm.recv(source=rank - distance)
    for child in children:
        comm.send(total, dest=child)
    return total


@misconception(
    "pairs_exchange",
    of="tree_all_reduce",
    says="a recursive doubling that is right for powers of two alone",
    hint="Who is the partner of rank 2 at distance 1, if there are three ranks, and how does it still get everything?",
)
def pairs_exchange(comm, buffer):
    total, distance = np.array(buffer, dtype=np.float64), 1
    while distance < comm.size:
        partner = comm.rank ^ distance
        if partner < comm.size:
            total = total + comm.sendrecv(total, dest=partner, source=partner)
        distance *= 2
    return total


misconception(
    "tree_adds_into_the_callers_buffer",
    of="tree_all_reduce",
    instead_of='checked_vector("buffer", buffer)',
    wrote='(np.asarray(buffer) if np.ndim(buffer) == 1 else checked_vector("buffer", buffer))',
    says="a tree that adds into the caller's buffer",
    hint="total and buffer: are they two arrays, or two names of one?",
)

misconception(
    "tree_flattens",
    of="tree_all_reduce",
    instead_of='checked_vector("buffer", buffer)',
    wrote="np.array(buffer, dtype=np.float64).reshape(-1)",
    says="a tree that takes a buffer of any shape",
    hint="What does the docstring say of a buffer with two dimensions?",
)

# --- halving_doubling_all_reduce ---

misconception(
    "partner_by_addition",
    of="halving_doubling_all_reduce",
    instead_of="partner = rank ^ distance\n        keep",
    wrote="partner = (rank + distance) % p\n        keep",
    says="a halving whose partner is r + d, so that partners do not name each other",
    hint="At distance 1, whose partner is rank 1, and is it that rank's partner in turn? XOR makes pairs.",
)

misconception(
    "keeps_what_it_gives_away",
    of="halving_doubling_all_reduce",
    instead_of="keep, give = _block",
    wrote="give, keep = _block",
    says="a halving that keeps the other half than the doubling expects",
    hint="After the last halving rank r should have chunk r. Which half holds chunk r, for the lower of two partners?",
)

misconception(
    "halving_replaces",
    of="halving_doubling_all_reduce",
    instead_of="total[keep] += comm",
    wrote="total[keep] = comm",
    says="a halving that replaces its half by its partner's",
    hint="Both partners have a part of the sum of that half. What has to become of yours?",
)

misconception(
    "halving_without_doubling",
    of="halving_doubling_all_reduce",
    instead_of="total[theirs] = comm",
    wrote="_ = comm",
    says="an all-reduce that keeps its partial sums in the doubling",
    hint="After the halving each rank has one finished chunk. Where do the other p - 1 come from?",
)

misconception(
    "sends_both_halves",
    of="halving_doubling_all_reduce",
    instead_of="comm.sendrecv(total[give], dest=partner, source=partner)",
    wrote="comm.sendrecv(total, dest=partner, source=partner)[keep]",
    says="a halving that sends the whole buffer and uses half of it",
    hint="Which part of your buffer does the partner need, if it keeps only its own half?",
)

misconception(
    "chunks_rounded_down",
    of="halving_doubling_all_reduce",
    within="_block",
    instead_of="chunk * quotient + min(chunk, longer)",
    wrote="chunk * quotient",
    says="an all-reduce that leaves the elements that do not divide evenly unsummed",
    hint="Where do the chunks of 5 elements begin and end for 4 ranks? The last one has to end at 5.",
)

misconception(
    "any_number_of_ranks",
    of="halving_doubling_all_reduce",
    instead_of="if p & (p - 1):",
    wrote="if False:",
    says="a halving that starts with any number of ranks",
    hint="With 6 ranks, who is the partner of rank 5 at distance 2? See what the docstring asks for.",
)


@misconception(
    "halves_by_parity",
    of="halving_doubling_all_reduce",
    says="a halving in which even ranks keep the lower half at every distance",
    hint="At distance 2, ranks 0 and 2 are partners and both are even. Which bit of the rank tells them apart?",
)
def halves_by_parity(comm, buffer):
    p, rank = comm.size, comm.rank
    if p & (p - 1):
        raise ValueError("not a power of two")
    total = np.array(buffer, dtype=np.float64)
    edges = np.cumsum([0, *map(len, np.array_split(total, p))])
    low, high, distance, spans = 0, p, p // 2, []
    while distance:
        middle = (low + high) // 2
        keep, give = ((low, middle), (middle, high)) if rank % 2 == 0 else ((middle, high), (low, middle))
        received = comm.sendrecv(total[edges[give[0]] : edges[give[1]]], rank ^ distance, rank ^ distance)
        n = min(len(received), edges[keep[1]] - edges[keep[0]])
        total[edges[keep[0]] : edges[keep[0]] + n] += received[:n]
        spans.append((distance, keep, give))
        (low, high), distance = keep, distance // 2
    for distance, keep, give in reversed(spans):
        received = comm.sendrecv(total[edges[keep[0]] : edges[keep[1]]], rank ^ distance, rank ^ distance)
        n = min(len(received), edges[give[1]] - edges[give[0]])
        total[edges[give[0]] : edges[give[0]] + n] = received[:n]
    return total


@misconception(
    "nearest_partner_first",
    of="halving_doubling_all_reduce",
    says="a halving that starts with the nearest partner",
    hint="Both orders sum, and some libraries use this one. At which distance does the docstring start?",
)
def nearest_partner_first(comm, buffer):
    p, rank = comm.size, comm.rank
    if p & (p - 1):
        raise ValueError("not a power of two")
    total = np.array(buffer, dtype=np.float64)
    edges = np.cumsum([0, *map(len, np.array_split(total, p))])
    low, high, distance, spans = 0, p, 1, []
    while distance < p:
        middle = (low + high) // 2
        keep, give = ((low, middle), (middle, high)) if rank & distance == 0 else ((middle, high), (low, middle))
        received = comm.sendrecv(total[edges[give[0]] : edges[give[1]]], rank ^ distance, rank ^ distance)
        total[edges[keep[0]] : edges[keep[1]]] += received
        spans.append((distance, keep, give))
        (low, high), distance = keep, 2 * distance
    for distance, keep, give in reversed(spans):
        received = comm.sendrecv(total[edges[keep[0]] : edges[keep[1]]], rank ^ distance, rank ^ distance)
        total[edges[give[0]] : edges[give[1]]] = received
    return total


@misconception(
    "exchanges_whole_buffers",
    of="halving_doubling_all_reduce",
    says="a recursive doubling that exchanges whole buffers",
    hint="log2 p messages of n elements are few, but how many elements is that in all? What does halving save?",
)
def exchanges_whole_buffers(comm, buffer):
    if comm.size & (comm.size - 1):
        raise ValueError("not a power of two")
    total, distance = np.array(buffer, dtype=np.float64), 1
    while distance < comm.size:
        total = total + comm.sendrecv(total, comm.rank ^ distance, comm.rank ^ distance)
        distance *= 2
    return total


misconception(
    "halving_adds_into_the_callers_buffer",
    of="halving_doubling_all_reduce",
    instead_of='checked_vector("buffer", buffer)',
    wrote='(np.asarray(buffer) if np.ndim(buffer) == 1 else checked_vector("buffer", buffer))',
    says="a halving that adds into the caller's buffer",
    hint="total and buffer: are they two arrays, or two names of one?",
)

misconception(
    "halving_flattens",
    of="halving_doubling_all_reduce",
    instead_of='checked_vector("buffer", buffer)',
    wrote="np.array(buffer, dtype=np.float64).reshape(-1)",
    says="a halving that takes a buffer of any shape",
    hint="What does the docstring say of a buffer with two dimensions?",
)

# --- assign_buckets ---

misconception(
    "first_parameter_first",
    of="assign_buckets",
    instead_of="in reversed(range(len(counts))):",
    wrote="in range(len(counts)):",
    says="buckets filled from the first parameter on",
    hint="Which layer's gradient does the backward pass finish first?",
)

misconception(
    "never_over_the_limit",
    of="assign_buckets",
    instead_of="""        bucket.append(index)
        filled += counts[index]
        limit = later_limit if buckets else first_limit
        if filled >= limit:
            buckets.append(bucket)
            bucket, filled = [], 0
""",
    wrote="""        limit = later_limit if buckets else first_limit
        if bucket and filled + counts[index] > limit:
            buckets.append(bucket)
            bucket, filled = [], 0
        bucket.append(index)
        filled += counts[index]
""",
    says="buckets that close before a tensor would take them over their limit",
    hint="The limit is a mark to reach, not one to keep below. Into which bucket goes the tensor that crosses it?",
)

misconception(
    "limit_to_be_exceeded",
    of="assign_buckets",
    instead_of="if filled >= limit:",
    wrote="if filled > limit:",
    says="buckets that stay open when they hold exactly their limit",
    hint="Does a bucket of 25 MiB hold at least 25 MiB?",
)

misconception(
    "first_limit_for_all",
    of="assign_buckets",
    instead_of="limit = later_limit if buckets else first_limit",
    wrote="limit = first_limit",
    says="buckets that all have the limit of the first",
    hint="Why is the first bucket small, and why are the others not?",
)

misconception(
    "first_limit_for_none",
    of="assign_buckets",
    instead_of="limit = later_limit if buckets else first_limit",
    wrote="limit = later_limit",
    says="buckets that ignore first_cap",
    hint="What can begin as soon as the first bucket is full?",
)

misconception(
    "last_bucket_lost",
    of="assign_buckets",
    instead_of="    if bucket:\n        buckets.append(bucket)",
    wrote="",
    says="buckets that lose the parameters of the last one, if it is not full",
    hint="What is in the open bucket when the parameters run out?",
)

misconception(
    "largest_tensor_first",
    of="assign_buckets",
    instead_of="in reversed(range(len(counts))):",
    wrote="in sorted(range(len(counts)), key=lambda i: -counts[i]):",
    says="buckets filled with the largest tensors first",
    hint="Packing well is not the aim: in which order do the gradients become ready?",
)

misconception(
    "overshoot_carried_over",
    of="assign_buckets",
    instead_of="bucket, filled = [], 0",
    wrote="bucket, filled = [], filled - limit",
    says="buckets that start with what the one before held above its limit",
    hint="How many bytes are in a bucket that has just been opened?",
)

misconception(
    "positions_in_the_reversed_list",
    of="assign_buckets",
    instead_of="bucket.append(index)",
    wrote="bucket.append(len(counts) - 1 - index)",
    says="buckets that number the parameters from the end",
    hint="Index 0 in the result: is it the first parameter of the model, or the first that you met?",
)

misconception(
    "indices_in_rising_order",
    of="assign_buckets",
    instead_of="bucket.append(index)",
    wrote="bucket.insert(0, index)",
    says="buckets whose indices rise",
    hint="In which order did the tensors go into the bucket?",
)


@misconception(
    "decimal_megabytes",
    of="assign_buckets",
    says="limits of 25 and 1 million bytes",
    hint="How many bytes are 25 MiB?",
)
def decimal_megabytes(sizes, *, cap=25 * 10**6, first_cap=10**6):
    if any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in [*sizes, cap, first_cap]):
        raise ValueError("a size or limit is no int of at least 1")
    buckets, bucket, filled = [], [], 0
    for index in reversed(range(len(sizes))):
        bucket.append(index)
        filled += sizes[index]
        if filled >= (cap if buckets else first_cap):
            buckets.append(bucket)
            bucket, filled = [], 0
    return [*buckets, bucket] if bucket else buckets


misconception(
    "tensors_without_bytes",
    of="assign_buckets",
    instead_of='checked_int("size", size, 1)',
    wrote='checked_int("size", size, 0)',
    says="buckets that take tensors of no bytes",
    hint="Which sizes does the docstring refuse?",
)

# --- overlap_step ---

misconception(
    "reductions_in_parallel",
    of="overlap_step",
    instead_of="start = max(ready, end)",
    wrote="start = ready",
    says="a timeline in which all reductions share the network without slowing each other",
    hint="There is one communication stream. What does a bucket wait for besides its own gradients?",
)

misconception(
    "starts_with_the_bucket",
    of="overlap_step",
    instead_of="""        ready += checked_float("backward", compute_seconds)
        start = max(ready, end)
""",
    wrote="""        start = max(ready, end)
        ready += checked_float("backward", compute_seconds)
""",
    says="a timeline in which a bucket is reduced before its gradients exist",
    hint="When is the first gradient of a bucket there, and when the last? The reduction needs all of them.",
)

misconception(
    "backward_waits",
    of="overlap_step",
    instead_of='ready += checked_float("backward", compute_seconds)',
    wrote='ready = max(ready, end) + checked_float("backward", compute_seconds)',
    says="a backward pass that waits for each reduction",
    hint="Who computes while the network is busy? Nothing in the next layers needs the reduced gradient.",
)

misconception(
    "reduces_after_the_backward_pass",
    of="overlap_step",
    instead_of="start = max(ready, end)",
    wrote="start = max(sum(backward), end)",
    says="a timeline that starts to reduce when the whole backward pass is done",
    hint="Is the first bucket's gradient going to change any more, once it is ready?",
)

misconception(
    "everything_hidden",
    of="overlap_step",
    instead_of="total = max(ready, end)",
    wrote="total = ready",
    says="a step that ends with its backward pass",
    hint="When does the last bucket become ready? Can anything hide its reduction?",
)

misconception(
    "exposed_is_the_excess",
    of="overlap_step",
    instead_of="total - ready, events",
    wrote="max(0.0, sum(communication) - ready), events",
    says="exposed communication that is only what exceeds the backward pass",
    hint="Each reduction may be shorter than each layer, and the last is still exposed. From what to what is the gap?",
)

misconception(
    "all_communication_exposed",
    of="overlap_step",
    instead_of="total - ready, events",
    wrote="float(sum(communication)), events",
    says="exposed communication that counts what the backward pass hides",
    hint="Communication that runs while the backward pass computes delays nobody. Which part delays the step?",
)

misconception(
    "last_bucket_first",
    of="overlap_step",
    instead_of="in zip(backward, communication, strict=True):",
    wrote="in zip(backward[::-1], communication[::-1], strict=True):",
    says="a timeline that works through the buckets backwards",
    hint="The buckets already come in the order of the backward pass.",
)

misconception(
    "never_waits_for_gradients",
    of="overlap_step",
    instead_of="start = max(ready, end)",
    wrote="start = end if events else ready",
    says="a stream that waits for the first gradients alone",
    hint="The network may be done before the next bucket is ready. What does it do then?",
)

misconception(
    "events_with_lengths",
    of="overlap_step",
    instead_of="events.append((start, end))",
    wrote="events.append((start, end - start))",
    says="events of start and length",
    hint="Read what an event consists of: two moments, or a moment and a length?",
)

misconception(
    "negative_time_for_none",
    of="overlap_step",
    instead_of='checked_float("communication", comm_seconds)',
    wrote="max(0.0, comm_seconds)",
    says="a timeline that takes a negative communication time for none",
    hint="A negative time is a mistake of the caller's. What does the docstring do with it?",
)

# --- best_bucket_cap ---

misconception(
    "largest_of_equals",
    of="best_bucket_cap",
    instead_of="if seconds < least:",
    wrote="if seconds <= least:",
    says="a choice of the largest of the limits that are equally good",
    hint="Which limit does your comparison keep, if a later one takes just as long?",
)

misconception(
    "first_of_equals",
    of="best_bucket_cap",
    instead_of='limits = sorted(checked_int("cap", cap, 1) for cap in caps)',
    wrote='limits = [checked_int("cap", cap, 1) for cap in caps]',
    says="a choice of the first of the limits that are equally good",
    hint="caps come in any order. Which of two equally good ones is wanted?",
)

misconception(
    "one_collective_a_parameter",
    of="best_bucket_cap",
    instead_of="comm_seconds(sum(sizes[index] for index in bucket)) for",
    wrote="sum(comm_seconds(sizes[index]) for index in bucket) for",
    says="a price for every tensor instead of every bucket",
    hint="How many collectives does a bucket of ten tensors take? That is what buckets are for.",
)

misconception(
    "all_bytes_in_equal_parts",
    of="best_bucket_cap",
    instead_of="comm_seconds(sum(sizes[index] for index in bucket)) for",
    wrote="comm_seconds(sum(sizes)) / len(buckets) for",
    says="one collective of all bytes, shared out among the buckets",
    hint="Each bucket pays its own latency. For how many bytes is comm_seconds to be asked?",
)

misconception(
    "backward_in_bucket_order",
    of="best_bucket_cap",
    instead_of="sum(backward[index] for index in bucket)",
    wrote="sum(backward[len(sizes) - 1 - index] for index in bucket)",
    says="backward times read in the order of the backward pass",
    hint="backward has the order of sizes. Which entry belongs to the last parameter?",
)

misconception(
    "one_backward_time_a_bucket",
    of="best_bucket_cap",
    instead_of="sum(backward[index] for index in bucket)",
    wrote="backward[bucket[-1]]",
    says="a bucket whose backward time is that of one parameter",
    hint="A bucket is ready when all of its parameters are. How long does that take?",
)

misconception(
    "least_communication",
    of="best_bucket_cap",
    instead_of="seconds = step_seconds(compute, communication)",
    wrote="seconds = sum(communication)",
    says="a choice of the limit with the least communication, hidden or not",
    hint="One bucket has the least latency, and nothing to overlap with. Which time does a step take?",
)

misconception(
    "returns_the_time",
    of="best_bucket_cap",
    instead_of="return best",
    wrote="return least",
    says="a choice that returns the time of the step",
    hint="Which of the two is asked for: the limit, or how long the step takes with it?",
)

misconception(
    "limit_of_nothing",
    of="best_bucket_cap",
    instead_of='checked_int("cap", cap, 1)',
    wrote='checked_int("cap", cap, 0)',
    says="a choice that takes a limit of zero",
    hint="Which limits does the docstring refuse?",
)

# --- ddp_step ---

misconception(
    "sum_over_ranks",
    of="ddp_step",
    instead_of='/ (samples if weighting == "sample" else comm.size)',
    wrote='/ (samples / comm.size if weighting == "sample" else 1)',
    says="a step along the sum of the ranks' gradients",
    hint="comm.all_reduce returns a sum. What would one process with all the samples divide by?",
)

misconception(
    "divided_by_ranks_twice",
    of="ddp_step",
    instead_of='/ (samples if weighting == "sample" else comm.size)',
    wrote='/ (samples if weighting == "sample" else comm.size) / comm.size',
    says="a gradient that is divided by the number of ranks twice",
    hint="Try one sample on each of two ranks. Which divisions does your gradient go through?",
)

misconception(
    "clips_each_rank",
    of="ddp_step",
    instead_of="    reduced = comm.all_reduce(np.append(local, len(y)))",
    wrote="""    length = np.linalg.norm(local) / (max(len(y), 1) if weighting == "sample" else 1)
    local = local * (limit / length if length > limit else 1.0)
    reduced = comm.all_reduce(np.append(local, len(y)))""",
    says="a step that clips each rank's own gradient before averaging",
    hint="Would one process with all samples have clipped there? When is the gradient that is to be clipped known?",
)

misconception(
    "micro_batches_of_equal_weight",
    of="ddp_step",
    instead_of="local += 2 * micro_x.T @ (micro_x @ params - micro_y)",
    wrote="local += 2 * micro_x.T @ (micro_x @ params - micro_y) / max(len(micro_y), 1) * len(y) / accum",
    says="an accumulation that gives every micro-batch the same weight",
    hint="Three samples in two micro-batches: how much does each sample count, if each mean counts one half?",
)

misconception(
    "accumulated_means_are_summed",
    of="ddp_step",
    instead_of="local += 2 * micro_x.T @ (micro_x @ params - micro_y)",
    wrote="local += 2 * micro_x.T @ (micro_x @ params - micro_y) / max(len(micro_y), 1) * len(y)",
    says="an accumulation that sums the means of the micro-batches",
    hint="Does your gradient grow with accum? A loop that calls backward() on unscaled losses does that.",
)

misconception(
    "learning_rate_times_ranks",
    of="ddp_step",
    instead_of="params - lr * grad",
    wrote="params - lr * comm.size * grad",
    says="a step whose learning rate grows with the number of ranks",
    hint="Scaling lr with the batch is a choice of the person who trains. What does one process with all samples do?",
)

misconception(
    "no_exchange",
    of="ddp_step",
    instead_of="reduced = comm.all_reduce(np.append(local, len(y)))",
    wrote='reduced = np.append(local * (1 if weighting == "sample" else comm.size), len(y))',
    says="ranks that each train on their own",
    hint="Which call tells a rank what the others have seen?",
)

misconception(
    "own_gradient_applied",
    of="ddp_step",
    instead_of="return DDPStep(params - lr * grad, grad)",
    wrote='return DDPStep(params - lr * local / (max(len(y), 1) if weighting == "sample" else 1), grad)',
    says="replicas that average gradients, but step along their own",
    hint="Compare the parameters of two ranks after the step. Which gradient did each subtract?",
)

misconception(
    "nothing_divided_by_nothing",
    of="ddp_step",
    instead_of="local = local / max(len(y), 1)",
    wrote="local = local / np.float64(len(y))",
    says="a step that becomes NaN where a rank has no samples",
    hint="What is the mean over no samples? Say what such a rank contributes before you divide.",
)

misconception(
    "always_by_rank",
    of="ddp_step",
    instead_of='    if weighting == "rank":',
    wrote='    weighting = "rank"\n    if weighting == "rank":',
    says="a plain mean over the ranks, however many samples each has",
    hint="Three samples on one rank, one on another: how much does each sample count in the plain mean of the two?",
)

misconception(
    "always_by_sample",
    of="ddp_step",
    instead_of='    if weighting == "rank":',
    wrote='    weighting = "sample"\n    if weighting == "rank":',
    says="a mean over the samples even where the ranks are to count the same",
    hint='What does weighting="rank" ask for? The example of 1, 2, 3 and 10 gives 6 and not 4.',
)

misconception(
    "ranks_without_samples_left_out",
    of="ddp_step",
    instead_of='(samples if weighting == "sample" else comm.size)',
    wrote="""(
        samples if weighting == "sample" else comm.all_reduce(np.array([float(len(y) > 0)]))[0]
    )""",
    says="a mean over the ranks that have samples",
    hint="By what does PyTorch's DDP divide: by the ranks that had work, or by all of them?",
)

misconception(
    "half_the_squared_error",
    of="ddp_step",
    instead_of="local += 2 * micro_x.T",
    wrote="local += micro_x.T",
    says="the gradient of half the squared error",
    hint="Differentiate the loss of the docstring for one sample and one parameter. Where is the 2?",
)

misconception(
    "clips_each_element",
    of="ddp_step",
    instead_of="grad = grad * (limit / norm)",
    wrote="grad = np.clip(grad, -limit, limit)",
    says="a clip of every element instead of the norm",
    hint="Clipping by norm keeps the direction. Does yours?",
)

misconception(
    "always_as_long_as_max_norm",
    of="ddp_step",
    instead_of="if norm > limit:",
    wrote="if 0 < norm and limit < math.inf:",
    says="a clip that also lengthens short gradients",
    hint="What is min(1, max_norm / norm) for a short gradient?",
)

misconception(
    "epsilon_in_the_clip",
    of="ddp_step",
    instead_of="grad * (limit / norm)",
    wrote="grad * (limit / (norm + 1e-6))",
    says="a clip with PyTorch's 1e-6 added to the norm",
    hint="clip_grad_norm_ adds a little against division by zero. What does the docstring add?",
)

misconception(
    "gradient_before_the_clip",
    of="ddp_step",
    instead_of="return DDPStep(params - lr * grad, grad)",
    wrote="""return DDPStep(
        params - lr * grad, reduced[:-1] / (samples if weighting == \"sample\" else float(comm.size))
    )""",
    says="a step that returns the gradient as it was before clipping",
    hint="Subtract the parameters after from those before and divide by lr. Is that the gradient you return?",
)

misconception(
    "reduces_every_micro_batch",
    of="ddp_step",
    instead_of="local += 2 * micro_x.T @ (micro_x @ params - micro_y)",
    wrote="local += comm.all_reduce(2 * micro_x.T @ (micro_x @ params - micro_y)) / comm.size",
    says="an accumulation that communicates at every micro-batch",
    hint="Sums can be added on each rank first. What does no_sync() in PyTorch put off?",
)

misconception(
    "updates_in_place",
    of="ddp_step",
    instead_of="    return DDPStep(params - lr * grad, grad)",
    wrote="    params -= lr * grad\n    return DDPStep(params, grad)",
    says="a step that changes the caller's parameters",
    hint="Whose array does -= write to, if np.asarray made no copy?",
)

misconception(
    "steps_without_samples",
    of="ddp_step",
    instead_of="if samples == 0:",
    wrote="if samples < 0:",
    says="a step taken although no rank has a sample",
    hint="What is the mean over no samples at all, and what does the docstring say of it?",
)
