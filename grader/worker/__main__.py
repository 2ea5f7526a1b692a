"""Start the untrusted side by path: ``python -P -s grader/worker zygote FD`` or ``… pool PORT``.

Nothing of the package that this folder lies in can be imported here: ``grader`` becomes an empty package that holds
this folder as ``grader.worker``, and ``grader.student`` stands for ``grader.worker.student``.
"""

from __future__ import annotations

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


def main(mode: str, where: str) -> None:
    """Run as the zygote that controls file descriptor ``where``, or as one worker that calls port ``where``."""
    provide_grader()
    import numpy as np

    random.seed(0)
    np.random.seed(0)
    if mode == "zygote":
        from grader.worker import zygote

        zygote.run(socket.socket(fileno=int(where)))
        return
    from grader.worker import serve

    token = sys.stdin.buffer.readline().strip()
    with socket.create_connection(("127.0.0.1", int(where))) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.sendall(token)
        serve.serve(sock)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
