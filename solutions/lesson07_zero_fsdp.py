"""Lesson 7 · ZeRO and fully sharded data parallelism.

Outcomes:
    7a  say what each rank holds under every stage of ZeRO
    7b  say what each rank sends under every stage
    7c  shard parameters, and take an optimizer step on shards
    7d  run the forward and the backward pass on sharded parameters, and see what prefetching hides
    7e  weigh stages and hybrid sharding against memory and network

Reading:
    Rajbhandari, Rasley, Ruwase, He (2020): ZeRO: Memory Optimizations Toward Training Trillion Parameter
        Models. SC20. arXiv:1910.02054.
    Zhao et al. (2023): PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel.
        Proceedings of the VLDB Endowment 16(12), 3848-3860. arXiv:2304.11277.
    Zhang et al. (2022): MiCS: Near-linear Scaling for Training Gigantic Model on Public Cloud.
        Proceedings of the VLDB Endowment 16(1), 37-50. arXiv:2205.00119.
    Loshchilov, Hutter (2019): Decoupled Weight Decay Regularization. ICLR. arXiv:1711.05101.
    PyTorch: the documentation of torch.distributed.fsdp.fully_shard.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grader.student import Comm, FloatArray, checked_float, checked_int, checked_vector, exercise


class StateBytes(NamedTuple):
    """Bytes of model states on one rank.

    Attributes:
        params: Of the parameters that the passes compute with.
        grads: Of their gradients.
        optim: Of the optimizer's state.
        total: Of all three.
    """

    params: float
    grads: float
    optim: float
    total: float


class SentElements(NamedTuple):
    """Elements that one rank sends in one optimizer step.

    Attributes:
        gathered: In all-gathers of parameters.
        reduced: In all-reduces or reduce-scatters of gradients.
        total: Both.
    """

    gathered: float
    reduced: float
    total: float


class Sharded(NamedTuple):
    """Tensors that were made one flat array and cut.

    Attributes:
        shards: One array for each rank, one-dimensional, all of one length.
        shapes: The tensors' shapes, in order.
        padding: How many zeros stand at the end of the last shards.
    """

    shards: list[NDArray[Any]]
    shapes: list[tuple[int, ...]]
    padding: int


class AdamWStep(NamedTuple):
    """One rank's outcome of an optimizer step.

    Attributes:
        params: All n parameters, the same on every rank.
        master: This rank's chunk of them.
        m: The first moment of this rank's chunk.
        v: The second moment of this rank's chunk.
    """

    params: FloatArray
    master: FloatArray
    m: FloatArray
    v: FloatArray


class FSDPStep(NamedTuple):
    """One rank's outcome of a forward and a backward pass.

    Attributes:
        loss: The mean loss over all ranks, the same on every rank.
        grads: This rank's shard of each layer's mean gradient, in the order of the layers.
    """

    loss: float
    grads: list[FloatArray]


class ForwardTimeline(NamedTuple):
    """A forward pass on sharded layers, in seconds from its start.

    Attributes:
        total: When the last layer is computed.
        exposed: The part of ``total`` in which nothing is computed.
        gathers: ``(start, end)`` of each layer's all-gather.
        computes: ``(start, end)`` of each layer's computation.
    """

    total: float
    exposed: float
    gathers: list[tuple[float, float]]
    computes: list[tuple[float, float]]


class Sharding(NamedTuple):
    """A way to train a model on a cluster.

    Attributes:
        stage: ZeRO's stage, 0 to 3.
        shard_group: Over how many ranks the model states are divided.
        replicas: How many such groups there are.
        seconds: Communication time of one optimizer step.
    """

    stage: int
    shard_group: int
    replicas: int
    seconds: float


@exercise(outcome="7a", minutes=15, core=True, difficulty=1)
def zero_state_bytes(
    n_params: float,
    dp: int,
    stage: int,
    *,
    param_bytes: float = 2.0,
    grad_bytes: float = 2.0,
    optim_bytes: float = 12.0,
) -> StateBytes:
    """Count the bytes of model states that each rank holds under ZeRO.

    Stage 0 is plain data parallelism: every rank holds everything. Stage 1 divides the optimizer's state
    among the ranks, stage 2 the gradients as well, stage 3 the parameters as well. What is divided is
    divided by ``dp`` as real numbers are: no rounding to whole parameters or bytes, no padding.

    The default sizes are those of mixed-precision Adam: 2-byte parameters and gradients, and an optimizer
    state of 4 bytes each for the master copy of the parameters, the momentum and the variance.

    Args:
        n_params: Parameters of the model, at least 1; a float such as 7.5e9 will do.
        dp: Data-parallel ranks, at least 1.
        stage: 0, 1, 2 or 3.
        param_bytes: Bytes of one parameter, at least 0.
        grad_bytes: Bytes of one gradient, at least 0.
        optim_bytes: Bytes of optimizer state for one parameter, at least 0.

    Returns:
        Bytes (not GB or GiB) on each rank.

    Raises:
        ValueError: If ``dp`` or ``stage`` is not an int in its range (a bool is not an int); if another
            number is below its least value or not finite.

    Example:
        >>> zero_state_bytes(1000, 4, 1)
        StateBytes(params=2000.0, grads=2000.0, optim=3000.0, total=7000.0)
    """
    n, dp, stage = (
        checked_float("n_params", n_params, least=1.0),
        checked_int("dp", dp, 1),
        checked_int("stage", stage, 0, 3),
    )
    params, grads = n * checked_float("param_bytes", param_bytes), n * checked_float("grad_bytes", grad_bytes)
    optim = n * checked_float("optim_bytes", optim_bytes)
    if stage >= 1:
        optim = optim / dp
    if stage >= 2:
        grads = grads / dp
    if stage >= 3:
        params = params / dp
    return StateBytes(params, grads, optim, params + grads + optim)


@exercise(outcome="7b", minutes=20, core=True, difficulty=2)
def zero_sent_elements(
    n_params: float, dp: int, stage: int, *, micro_steps: int = 1, reshard_after_forward: bool = True
) -> SentElements:
    """Count the elements that each rank sends in one optimizer step under ZeRO.

    Collectives run as rings: in an all-gather or a reduce-scatter of n elements over p ranks each rank
    sends (p-1)/p * n of them, in an all-reduce twice as many (real numbers, no padding). A step consists
    of ``micro_steps`` forward and backward passes, whose gradients are added up, and one update.

    - Stage 0: each rank adds up whole gradients; they are all-reduced once, after the last micro-step.
    - Stage 1: each rank adds up whole gradients; they are reduce-scattered once, after the last
      micro-step; each rank updates its part, and the updated parameters are all-gathered.
    - Stage 2: as stage 1, but a rank keeps only its part of the gradients, so every micro-step
      reduce-scatters its own.
    - Stage 3: as stage 2, but a rank keeps only its part of the parameters. Every forward pass all-gathers
      them, all of them are freed after it, and every backward pass all-gathers them again. After the
      update nothing is sent.

    With ``reshard_after_forward=False`` stage 3 frees parameters only after the backward pass, which so
    finds them in place. The other stages ignore it.

    Args:
        n_params: Parameters of the model, at least 1; a float such as 7.5e9 will do.
        dp: Data-parallel ranks, at least 1.
        stage: 0, 1, 2 or 3.
        micro_steps: Forward and backward passes in one step, at least 1.
        reshard_after_forward: Whether stage 3 frees parameters between forward and backward pass.

    Returns:
        Elements (not bytes) that each rank sends; what it receives is not counted.

    Raises:
        ValueError: If ``n_params`` is below 1 or not finite; if ``dp``, ``stage`` or ``micro_steps`` is not
            an int in its range (a bool is not an int).

    Example:
        >>> zero_sent_elements(1000, 4, 3)
        SentElements(gathered=1500.0, reduced=750.0, total=2250.0)
    """
    n, dp, stage = (
        checked_float("n_params", n_params, least=1.0),
        checked_int("dp", dp, 1),
        checked_int("stage", stage, 0, 3),
    )
    passes = checked_int("micro_steps", micro_steps, 1)
    once = (dp - 1) / dp * n
    if stage == 0:
        gathered, reduced = 0.0, 2 * once
    elif stage == 1:
        gathered, reduced = once, once
    elif stage == 2:
        gathered, reduced = once, passes * once
    else:
        gathered, reduced = passes * (2 if reshard_after_forward else 1) * once, passes * once
    return SentElements(gathered, reduced, gathered + reduced)


@exercise(outcome="7c", minutes=15, core=True, difficulty=2)
def flatten_and_shard(tensors: Sequence[NDArray[Any]], ranks: int) -> Sharded:
    """Make one flat array of several tensors and cut it into a shard for each rank, as FSDP does.

    The tensors' elements follow each other in the order of the tensors, each tensor's in C order (the last
    index runs fastest). Zeros are appended once, at the very end: as few as make the length a multiple of
    ``ranks``, so none where it is one already. Then the array is cut into ``ranks`` equal pieces; piece r
    is rank r's shard.

    Args:
        tensors: At least one; of any shapes, also with no elements or no dimensions; all of one dtype.
        ranks: How many shards, at least 1.

    Returns:
        The shards, with the dtype of the tensors; the tensors' shapes; and the number of zeros appended.

    Raises:
        ValueError: If there is no tensor, if two differ in dtype, or if ``ranks`` is not an int of at
            least 1 (a bool is not an int).

    Example:
        >>> flatten_and_shard([np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([5.0])], 2)
        Sharded(shards=[array([1., 2., 3.]), array([4., 5., 0.])], shapes=[(2, 2), (1,)], padding=1)
    """
    ranks = checked_int("ranks", ranks, 1)
    if not tensors or len({tensor.dtype for tensor in tensors}) > 1:
        raise ValueError("needs at least one tensor, and all of one dtype")
    flat = np.concatenate([tensor.ravel() for tensor in tensors])
    padding = -len(flat) % ranks
    padded = np.concatenate([flat, np.zeros(padding, dtype=flat.dtype)])
    return Sharded(np.split(padded, ranks), [tensor.shape for tensor in tensors], padding)


@exercise(outcome="7c", minutes=20, core=True, difficulty=2, collectives=("all_gather",))
def unshard(comm: Comm, shard: NDArray[Any], shapes: Sequence[tuple[int, ...]]) -> list[NDArray[Any]]:
    """Gather the shards of all ranks and make the tensors again: the way back from ``flatten_and_shard``.

    Each rank gives its shard as it is, padding included, to ``comm.all_gather``, once. Every rank then has
    the flat array, and cuts the tensors out of it.

    Args:
        comm: This rank's communicator; ``comm.all_gather`` alone.
        shard: This rank's shard, one-dimensional; not changed.
        shapes: The tensors' shapes, in order, the same on every rank.

    Returns:
        The tensors, with the dtype of the shards, the same on every rank.

    Raises:
        ValueError: On every rank, if the shards are not one-dimensional and of one length, or not of the
            length that ``flatten_and_shard`` makes of tensors of these shapes for ``comm.size`` ranks.

    Example:
        >>> on_ranks(unshard, [[1.0, 2.0, 3.0], [4.0, 5.0, 0.0]], [(1, 2), (3,)])
        [[array([[1., 2.]]), array([3., 4., 5.])], [array([[1., 2.]]), array([3., 4., 5.])]]
    """
    counts = [math.prod(shape) for shape in shapes]
    shards = comm.all_gather(np.asarray(shard))
    length = -(-sum(counts) // comm.size)
    if any(piece.shape != (length,) for piece in shards):
        raise ValueError(f"every shard must have the shape ({length},)")
    flat = np.concatenate(shards)
    ends = np.cumsum(counts)
    pieces = [flat[end - count : end] for end, count in zip(ends, counts, strict=True)]
    return [piece.reshape(shape) for piece, shape in zip(pieces, shapes, strict=True)]


@exercise(
    outcome="7c",
    minutes=50,
    core=True,
    difficulty=3,
    collectives=("reduce_scatter", "all_reduce", "all_gather"),
)
def zero_adamw_step(
    comm: Comm,
    grad: FloatArray,
    master: FloatArray,
    m: FloatArray,
    v: FloatArray,
    *,
    step: int,
    lr: float,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: float = 0.0,
    max_norm: float | None = None,
) -> AdamWStep:
    """Take one step of AdamW with the optimizer's state divided among the ranks (ZeRO, stages 1 and 2).

    Every rank has a gradient of all n parameters, from its own batch. Of the parameters and the two moments
    it has chunk ``comm.rank`` of p = ``comm.size``, as ``numpy.array_split`` cuts n elements (no padding
    here). Together the ranks do what one process does with g, the mean of their gradients:

    - With ``max_norm``: if the Euclidean norm of g, all n elements of it, exceeds ``max_norm``, g is
      multiplied by ``max_norm / norm``, with nothing added to the norm.
    - m = beta1 * m + (1 - beta1) * g and v = beta2 * v + (1 - beta2) * g**2.
    - The parameters lose lr * (m_hat / (sqrt(v_hat) + eps) + weight_decay * parameters), where
      m_hat = m / (1 - beta1**step), v_hat = v / (1 - beta2**step), and "parameters" are those before the
      step.

    No rank may hold more than its chunk of m, v, the mean gradient or the new parameters until the last
    call. Each calls ``comm.reduce_scatter`` once, with n elements; then, if and only if ``max_norm`` is given,
    ``comm.all_reduce`` once, with one element, whether or not anything is clipped; and at the end
    ``comm.all_gather`` once, with its chunk. Everything is float64 here, though in training the gradients
    and the gathered parameters would have 2 bytes.

    Args:
        comm: This rank's communicator; the three collectives above alone.
        grad: This rank's gradient, shape (n,); not changed.
        master: This rank's chunk of the parameters; not changed.
        m: First moment of that chunk; not changed.
        v: Second moment of that chunk, nowhere negative; not changed.
        step: The number of this step; the first is 1.
        lr: Learning rate, finite and positive.
        betas: beta1 and beta2, each at least 0 and less than 1.
        eps: Added to the root, finite and positive.
        weight_decay: Finite, at least 0.
        max_norm: Largest norm of the mean gradient, finite and positive; None does not clip.

    Returns:
        All new parameters, and this rank's chunks after the step.

    Raises:
        ValueError: On every rank, if ``grad`` is not one-dimensional, or ``master``, ``m`` or ``v`` has not
            the shape of the rank's chunk; if ``step`` is not an int of at least 1 (a bool is not an int);
            if another number is out of its range.

    Example:
        >>> on_ranks(
        ...     zero_adamw_step,
        ...     [([2.0, 0.0], [1.0], [0.0], [0.0]), ([2.0, 4.0], [1.0], [0.0], [0.0])],
        ...     step=1,
        ...     lr=0.5,
        ...     betas=(0.5, 0.5),
        ...     eps=2.0,
        ... )
        [AdamWStep(params=array([0.75, 0.75]), master=array([0.75]), m=array([1.]), v=array([2.])),
        AdamWStep(params=array([0.75, 0.75]), master=array([0.75]), m=array([1.]), v=array([2.]))]
    """
    beta1, beta2 = (checked_float("beta", beta) for beta in betas)
    if beta1 >= 1 or beta2 >= 1:
        raise ValueError(f"betas must be less than 1, not {betas}")
    step, lr = checked_int("step", step, 1), checked_float("lr", lr, positive=True)
    eps, weight_decay = checked_float("eps", eps, positive=True), checked_float("weight_decay", weight_decay)
    limit = math.inf if max_norm is None else checked_float("max_norm", max_norm, positive=True)
    grad, master, m, v = (checked_vector("an array", array) for array in (grad, master, m, v))
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
    m_hat, v_hat = m / (1 - beta1**step), v / (1 - beta2**step)
    master = master - lr * (m_hat / (np.sqrt(v_hat) + eps) + weight_decay * master)
    return AdamWStep(np.concatenate(comm.all_gather(master)), master, m, v)


@exercise(
    outcome="7d",
    minutes=60,
    core=True,
    difficulty=3,
    collectives=("all_gather", "reduce_scatter", "all_reduce"),
)
def fsdp_step(
    comm: Comm,
    x: FloatArray,
    y: FloatArray,
    shards: Sequence[FloatArray],
    shapes: Sequence[tuple[int, int]],
    seconds: Sequence[float],
    *,
    reshard_after_forward: bool = True,
) -> FSDPStep:
    """Run the forward and the backward pass of a network whose layers are sharded, one layer at a time.

    Layer i multiplies its input from the right by a matrix of shape ``shapes[i]`` and applies tanh, but the
    last layer applies no tanh; there is no bias. The first input is ``x``; the last output is compared with
    ``y``. The loss is the mean of the squared differences over all outputs of all samples of all ranks.
    Every rank has the same number of samples.

    Each matrix was flattened in C order, padded at its end with zeros to a multiple of p = ``comm.size``,
    and cut into p equal shards; ``shards[i]`` is this rank's of layer i.

    1. Forward, for each layer from the first to the last: ``comm.all_gather`` the shards, call
       ``comm.compute(seconds[i])`` to say that the layer is being computed, compute it, and free the matrix.
    2. Backward, for each layer from the last to the first: ``comm.all_gather`` the shards again (those of
       the last and the first layer as well), ``comm.compute(2 * seconds[i])``, compute the gradients, free
       the matrix, and ``comm.reduce_scatter`` the gradient of the matrix, flattened and padded as the matrix
       was. Its shard is the shard of the mean over ranks.
    3. At the end, ``comm.all_reduce`` one number for the loss.

    With ``reshard_after_forward=False`` a rank keeps the matrices from the forward pass until the backward
    pass has used them, and gathers nothing in the backward pass. All else stays the same.

    Args:
        comm: This rank's communicator; its three collectives above, and ``compute``.
        x: This rank's samples, shape (b, d), b at least 1; not changed.
        y: Their targets, shape (b, e); not changed.
        shards: This rank's shard of each layer, one-dimensional; not changed.
        shapes: The shape of each layer's matrix, both dimensions at least 1; at least one layer.
        seconds: How long each layer's forward pass takes, at least 0.
        reshard_after_forward: Whether matrices are freed between forward and backward pass.

    Returns:
        The loss, and this rank's shard of each layer's gradient, zero where the shard has padding.

    Raises:
        ValueError: On every rank, if there are no layers or no samples; if ``shards``, ``shapes`` and
            ``seconds`` differ in number; if ``x``, the layers' shapes and ``y`` do not fit each other; if a
            shard has not the length that its layer's shape makes.

    Example:
        >>> on_ranks(
        ...     fsdp_step,
        ...     [
        ...         ([[1.0, 0.0]], [[0.0]], (np.array([1.0]),)),
        ...         ([[0.0, 1.0]], [[0.0]], (np.array([2.0]),)),
        ...     ],
        ...     shapes=[(2, 1)],
        ...     seconds=[0.5],
        ... )
        [FSDPStep(loss=2.5, grads=[array([1.])]), FSDPStep(loss=2.5, grads=[array([2.])])]
    """
    p, last = comm.size, len(shapes) - 1
    x, y = np.array(x, dtype=np.float64), np.array(y, dtype=np.float64)
    own = [checked_vector("a shard", shard) for shard in shards]
    _check_network(x, y, own, shapes, seconds, p)
    inputs, kept = [x], []
    for i, shape in enumerate(shapes):
        matrix = _whole(comm, own[i], shape)
        comm.compute(seconds[i])
        output = inputs[i] @ matrix
        inputs.append(output if i == last else np.tanh(output))
        if not reshard_after_forward:
            kept.append(matrix)
    error = inputs[-1] - y
    flow = 2 * error / error.size  # the gradient of the loss of this rank, on its way back
    grads: list[FloatArray] = []
    for i in reversed(range(len(shapes))):
        matrix = _whole(comm, own[i], shapes[i]) if reshard_after_forward else kept.pop()
        comm.compute(2 * seconds[i])
        if i < last:
            flow = flow * (1 - inputs[i + 1] ** 2)
        grad = inputs[i].T @ flow
        flow = flow @ matrix.T
        padded = np.zeros(p * len(own[i]))
        padded[: grad.size] = grad.ravel()
        grads.insert(0, comm.reduce_scatter(padded) / p)
    loss = comm.all_reduce(float(np.mean(error**2)))
    return FSDPStep(float(loss) / p, grads)


def _whole(comm: Comm, shard: FloatArray, shape: tuple[int, int]) -> FloatArray:
    """A layer's matrix, from the shards of all ranks."""
    flat = np.concatenate(comm.all_gather(shard))
    return flat[: math.prod(shape)].reshape(shape)


def _check_network(
    x: FloatArray,
    y: FloatArray,
    shards: Sequence[FloatArray],
    shapes: Sequence[tuple[int, int]],
    seconds: Sequence[float],
    p: int,
) -> None:
    if not len(shapes) or not len(shapes) == len(shards) == len(seconds):
        raise ValueError("needs layers, and as many shards and times as shapes")
    if x.ndim != 2 or y.ndim != 2 or len(x) == 0 or len(x) != len(y):
        raise ValueError(f"x {x.shape} and y {y.shape} must be samples and their targets")
    ins, outs = [shape[0] for shape in shapes], [shape[1] for shape in shapes]
    if [*ins, y.shape[1]] != [x.shape[1], *outs]:
        raise ValueError(f"x {x.shape}, y {y.shape} and layers {shapes} do not fit each other")
    if [len(shard) for shard in shards] != [-(-math.prod(shape) // p) for shape in shapes]:
        raise ValueError("a shard has not the length that its layer makes")


@exercise(outcome="7d", minutes=25, core=True, difficulty=2)
def fsdp_forward_time(gather: Sequence[float], compute: Sequence[float], *, limit: int = 2) -> ForwardTimeline:
    """Overlap the all-gathers of a sharded forward pass with its computation.

    One stream all-gathers the layers, one after the other; a second one computes them, one after the other.
    A layer is computed as soon as it is gathered and the layer before it is computed. It occupies memory as
    a whole from the start of its all-gather to the end of its computation, and at most ``limit`` layers may
    do so at any time (one may begin at the moment at which another ends). So an all-gather starts as soon as
    the one before it has ended and the limit allows.

    With ``limit=1`` nothing is prefetched; PyTorch's FSDP allows 2.

    Args:
        gather: Seconds of each layer's all-gather; finite, at least 0; at least one layer.
        compute: Seconds of each layer's computation; finite, at least 0.
        limit: How many layers may be whole at a time, at least 1.

    Returns:
        The timeline, its events in the order of the layers.

    Raises:
        ValueError: If there is no layer, if the two differ in length, if a time is negative or not finite,
            or if ``limit`` is not an int of at least 1 (a bool is not an int).

    Example:
        >>> fsdp_forward_time([1.0, 1.0, 1.0], [2.0, 2.0, 2.0])
        ForwardTimeline(total=7.0, exposed=1.0, gathers=[(0.0, 1.0), (1.0, 2.0), (3.0, 4.0)],
        computes=[(1.0, 3.0), (3.0, 5.0), (5.0, 7.0)])
    """
    if not len(gather) or len(gather) != len(compute):
        raise ValueError(f"{len(gather)} all-gathers and {len(compute)} computations")
    limit = checked_int("limit", limit, 1)
    gathers: list[tuple[float, float]] = []
    computes: list[tuple[float, float]] = []
    gathered = computed = 0.0
    for i, (gather_seconds, compute_seconds) in enumerate(zip(gather, compute, strict=True)):
        freed = computes[i - limit][1] if i >= limit else 0.0
        start = max(gathered, freed)
        gathered = start + checked_float("gather", gather_seconds)
        gathers.append((start, gathered))
        start = max(gathered, computed)
        computed = start + checked_float("compute", compute_seconds)
        computes.append((start, computed))
    return ForwardTimeline(computed, computed - math.fsum(compute), gathers, computes)


@exercise(outcome="7e", minutes=30, core=False, difficulty=2, collectives=("reduce_scatter", "all_reduce"))
def hybrid_reduce(comm: Comm, grad: FloatArray, group: int) -> FloatArray:
    """Average a gradient under hybrid sharding: scattered within a group of ranks, summed across groups.

    Ranks 0 to ``group`` - 1 are the first shard group (a node, say), the next ``group`` ranks the second,
    and so on. The model is sharded within each group, so the ranks that have the same place in their groups
    hold the same shard: they are replicas of each other. Every rank returns the shard of its place k: chunk
    k of the mean gradient over *all* ranks, as ``numpy.array_split`` cuts it into ``group`` chunks.

    Two collectives do it, on communicators from ``comm.split``: first a reduce-scatter of all n elements
    among the ranks of the shard group, then an all-reduce of the chunk among the replicas. So the links
    between groups carry no more than one chunk of each rank.

    Args:
        comm: This rank's communicator; ``split``, and on what it returns ``reduce_scatter`` and
            ``all_reduce``.
        grad: This rank's gradient, one-dimensional, of the same length on every rank; not changed.
        group: Ranks in a shard group, at least 1; divides the number of ranks.

    Returns:
        This rank's chunk of the mean gradient.

    Raises:
        ValueError: On every rank, if ``grad`` is not one-dimensional, or ``group`` is not an int of at
            least 1 (a bool is not an int) that divides ``comm.size``.

    Example:
        >>> on_ranks(hybrid_reduce, [[4.0, 0.0], [0.0, 8.0], [0.0, 4.0], [4.0, 0.0]], 2)
        [array([2.]), array([3.]), array([2.]), array([3.])]
    """
    flat, group = checked_vector("grad", grad), checked_int("group", group, 1)
    if comm.size % group:
        raise ValueError(f"groups of {group} do not divide {comm.size} ranks")
    shard_group, replicas = comm.split(comm.rank // group), comm.split(comm.rank % group)
    total: FloatArray = replicas.all_reduce(shard_group.reduce_scatter(flat))
    return total / comm.size


@exercise(outcome="7e", minutes=35, core=True, difficulty=3)
def choose_sharding(
    n_params: float,
    gpus_per_node: int,
    nodes: int,
    mem_bytes: float,
    intra: float,
    inter: float,
    *,
    micro_steps: int = 1,
) -> Sharding:
    """Choose the stage of ZeRO and the group to shard over that fit into memory and communicate least.

    There are W = ``gpus_per_node * nodes`` ranks, numbered node by node. The candidates are stage 0, with
    shard groups of one rank, and stages 1, 2 and 3 with shard groups of k whole neighbouring nodes, for
    every k that divides ``nodes``. With k = ``nodes`` that is plain ZeRO, with less it is hybrid sharding.
    A group of S ranks makes W / S replicas; ranks in the same place of their groups hold the same shard.

    Memory. A candidate fits if each rank's model states take at most ``mem_bytes``: 2 bytes a parameter, 2 a
    gradient, and 12 of optimizer state. Stage 1 divides the optimizer's state by S, stage 2 the gradients
    as well, stage 3 the parameters as well (real division).

    Time. Collectives run one after the other, as rings, and latency is free: an all-gather or a
    reduce-scatter of n bytes over p ranks takes (p-1)/p * n / bandwidth, an all-reduce twice as long. The
    bandwidth is ``intra`` where all p ranks are in one node, and ``inter`` where they are not. All elements
    sent have 2 bytes. In one optimizer step, within each shard group,

    - stage 1 reduce-scatters gradients once and all-gathers parameters once;
    - stage 2 reduce-scatters gradients in every micro-step and all-gathers parameters once;
    - stage 3 all-gathers parameters twice and reduce-scatters gradients once in every micro-step.

    Then, once, every rank all-reduces its shard of the gradients, 1/S of them, with the ranks that hold the
    same shard. At stage 0 the shard is the whole, and this is all there is.

    The shortest time wins. Times within a relative 1e-9 of the shortest count as equal; of those the lowest
    stage wins, then the smallest group.

    Args:
        n_params: Parameters of the model, at least 1; a float such as 7.5e9 will do.
        gpus_per_node: Ranks in a node, at least 1.
        nodes: How many nodes, at least 1.
        mem_bytes: Bytes that model states may take on each rank, positive.
        intra: Bytes per second that a rank sends within its node, positive.
        inter: Bytes per second that a rank sends to another node, positive.
        micro_steps: Forward and backward passes in one step, at least 1.

    Returns:
        The stage, the ranks in a shard group, the number of groups, and the seconds of one step.

    Raises:
        ValueError: If nothing fits; if ``gpus_per_node``, ``nodes`` or ``micro_steps`` is not an int of at
            least 1 (a bool is not an int); if another number is out of its range or not finite.

    Example:
        >>> choose_sharding(100, 2, 2, 1000.0, intra=100.0, inter=10.0)
        Sharding(stage=1, shard_group=2, replicas=2, seconds=12.0)
    """
    n, memory = checked_float("n_params", n_params, least=1.0), checked_float("mem_bytes", mem_bytes, positive=True)
    intra, inter = checked_float("intra", intra, positive=True), checked_float("inter", inter, positive=True)
    per_node, nodes = checked_int("gpus_per_node", gpus_per_node, 1), checked_int("nodes", nodes, 1)
    passes, world = checked_int("micro_steps", micro_steps, 1), per_node * nodes
    groups = [per_node * k for k in range(1, nodes + 1) if nodes % k == 0]
    fitting: list[Sharding] = []
    for stage, group in [(0, 1), *((stage, group) for stage in (1, 2, 3) for group in groups)]:
        params, grads = 2 * n / (group if stage >= 3 else 1), 2 * n / (group if stage >= 2 else 1)
        if params + grads + 12 * n / group > memory:
            continue
        replicas = world // group
        rings = {0: 0, 1: 2, 2: passes + 1, 3: 3 * passes}[stage]
        inside = rings * (group - 1) / group * 2 * n / (intra if group <= per_node else inter)
        across = 2 * (replicas - 1) / replicas * 2 * n / group / (intra if nodes == 1 else inter)
        fitting.append(Sharding(stage, group, replicas, inside + across))
    if not fitting:
        raise ValueError("no stage and no group fits into memory")
    least = min(choice.seconds for choice in fitting)
    return next(choice for choice in fitting if choice.seconds <= least * (1 + 1e-9))
