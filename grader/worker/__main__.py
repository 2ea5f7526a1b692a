"""Start the untrusted side by path: ``python -P -s -S grader/worker/__main__.py PACKAGES zygote FD`` or ``pool PORT``.

PACKAGES is the folder that numpy lies in. It is on the path only while numpy is imported, so that a submission finds
the standard library and numpy everywhere, and nothing else anywhere.

Nothing of the package that this folder lies in can be imported here: ``grader`` becomes an empty package that holds
this folder as ``grader.worker``, and ``grader.student`` stands for ``grader.worker.student``.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import importlib.util
import os
import random
import socket
import sys
import types


def provide_grader() -> None:
    """Make ``grader.worker`` and ``grader.student`` importable, and nothing else of ``grader``."""
    here = os.path.dirname(os.path.abspath(__file__))
    grader = types.ModuleType("grader")
    grader.__path__ = []
    sys.modules["grader"] = grader
    spec = importlib.util.spec_from_file_location(
        "grader.worker", os.path.join(here, "__init__.py"), submodule_search_locations=[here]
    )
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["grader.worker"] = package
    spec.loader.exec_module(package)
    student = importlib.import_module("grader.worker.student")
    grader.worker, grader.student = package, student  # type: ignore[attr-defined]
    sys.modules["grader.student"] = student


NUMPY_MODULES = ("random", "fft", "linalg", "polynomial", "typing", "ma", "lib.stride_tricks")


def import_numpy(packages: str) -> None:
    """Import numpy and what it would import later, from ``packages``, and fix its legacy generator's seed."""
    sys.path.append(packages)
    import numpy as np

    for name in NUMPY_MODULES:
        importlib.import_module(f"numpy.{name}")
    sys.path.remove(packages)
    random.seed(0)
    np.random.seed(0)


def main(packages: str, mode: str, where: str) -> None:
    """Run as the zygote that controls file descriptor ``where``, or as one worker that calls port ``where``."""
    import_numpy(packages)
    provide_grader()
    vars(builtins).update(exit=sys.exit, quit=sys.exit)  # as a student has them at home, from the module site
    if mode == "zygote":
        from grader.worker import zygote

        zygote.run(socket.socket(fileno=int(where)))
        return
    from grader.worker import serve

    token, memory_bytes = sys.stdin.buffer.readline().split()
    if os.name == "posix":
        from grader.worker import zygote

        with contextlib.suppress(OSError, ValueError):  # a system that can't limit memory
            zygote.limit_resources({"memory_bytes": memory_bytes, "cpu": None})
    with socket.create_connection(("127.0.0.1", int(where))) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.sendall(token)
        serve.serve(sock)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
