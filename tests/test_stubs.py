"""Stubs made from solutions."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import grader.student
from grader.authors.stubs import SolutionError, exercises_in, stub_source, write_stubs
from grader.course import Course
from tests.stub_samples import SOLUTION, STUB, small

REAL_SOLUTIONS = sorted((Path(__file__).parent.parent / "solutions").glob("lesson*.py"))


def run(source: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run a text against a stand-in for grader.student."""

    def exercise(**facts: object) -> Callable[[Any], Any]:
        return lambda marked: marked

    student = types.ModuleType("grader.student")
    student.__dict__.update(dict.fromkeys(grader.student.__all__, object), exercise=exercise)
    monkeypatch.setitem(sys.modules, "grader.student", student)
    module = types.ModuleType("stub")
    monkeypatch.setitem(sys.modules, "stub", module)
    exec(compile(source, "stub.py", "exec"), module.__dict__)
    return module.__dict__


# what a stub is


def test_stub_states_everything_and_answers_nothing() -> None:
    assert stub_source(SOLUTION) == STUB


def test_stub_of_a_stub_is_the_stub() -> None:
    assert stub_source(STUB) == STUB


def test_stub_can_be_imported_and_raises_its_own_error(monkeypatch: pytest.MonkeyPatch) -> None:
    names = run(STUB, monkeypatch)
    with pytest.raises(NotImplementedError, match="^limits: not written yet$"):
        names["limits"]()
    with pytest.raises(NotImplementedError, match=r"^LossScaler\.__init__: not written yet$"):
        names["LossScaler"]()
    with pytest.raises(NotImplementedError, match=r"^LossScaler\.finite: not written yet$"):
        names["LossScaler"].finite([])
    assert names["Limits"](4.0).half() == 2.0


def test_windows_line_ends_and_byte_order_mark_make_no_difference() -> None:
    assert stub_source("\ufeff" + SOLUTION.replace("\n", "\r\n")) == STUB


def test_form_feeds_do_not_shift_lines() -> None:
    source = small().replace("import numpy", "\x0cimport numpy") + '\n\nclass A:\n    """Kept.\x0c\u2028"""\n'
    assert stub_source(source).endswith('class A:\n    """Kept.\x0c\u2028"""\n')


def test_numpy_is_kept_even_if_nothing_uses_it() -> None:
    assert "import numpy as np\n" in stub_source(small())
    used = small().replace("def one() -> int", "def one(x: np.float64 = np.float64(0)) -> int")
    assert "import numpy as np\n" in stub_source(used)


def test_long_import_that_loses_a_name_is_wrapped_as_a_formatter_does() -> None:
    names = [f"a_rather_long_name_{i}" for i in range(6)]
    source = small().replace("import math", f"from typing import ({', '.join(names)}, gone)")
    source = source.replace("def one() -> int", f"def one(x: tuple[{', '.join(names)}]) -> int")
    lines = "".join(f"    {name},\n" for name in names)
    assert f"from typing import (\n{lines})\n" in stub_source(source)


def test_import_with_another_name_is_kept_by_that_name() -> None:
    source = small().replace("import math", "import os.path\nimport json as j, math as m\nfrom typing import Any as A")
    source = source.replace("def one() -> int", "def one(x: A = j.dumps, y: int = os.sep) -> int")
    assert stub_source(source).startswith("import os.path\nimport json as j\nfrom typing import Any as A\n\nimport")


def test_word_in_a_literal_is_no_name() -> None:
    source = small().replace("import math", "import math\nfrom typing import Literal")
    source = source.replace("def one() -> int", 'def one(x: Literal["math"] | "Literal[2]" = 2) -> int')
    assert "import math" not in stub_source(source)


def test_names_that_signatures_need_are_followed_to_their_source(monkeypatch: pytest.MonkeyPatch) -> None:
    source = small().replace(
        "import math\n\nimport numpy as np\n\nfrom grader.student import exercise\n",
        "import math\n\nimport numpy as np\n\nfrom grader.student import exercise\n\n\n"
        "def _width() -> int:\n    return math.isqrt(_ROOT)\n\n\n_ROOT = 16\n_WIDTH = _width()\nOTHER = 1\n",
    )
    stub = stub_source(source.replace("def one()", "def one(width: int = _WIDTH)"))
    assert "OTHER" not in stub and "import math\n" in stub
    assert run(stub, monkeypatch)["_WIDTH"] == 4


def test_imports_for_types_alone_are_kept_if_used() -> None:
    guarded = "if TYPE_CHECKING:\n    from fractions import Fraction\n"
    source = small().replace("import math\n", f"from typing import TYPE_CHECKING\n\nimport math\n\n{guarded}")
    assert "TYPE_CHECKING" not in stub_source(source)
    assert guarded in stub_source(source.replace("def one()", 'def one(x: "Fraction | None" = None)'))


def test_coroutine_can_be_an_exercise() -> None:
    assert "async def one() -> int:\n" in stub_source(small().replace("def one", "async def one"))


@pytest.mark.parametrize("body", ["pass", "'''not a docstring'''", "x = [1,\n         2]; return x"])
def test_any_body_is_replaced(body: str) -> None:
    assert stub_source(small(body)) == stub_source(small())


@pytest.mark.parametrize(
    "remark", ["  # the answer is 1", "; return 1  # noqa"], ids=["a remark", "a statement on the line"]
)
def test_nothing_behind_a_docstring_is_leaked(remark: str) -> None:
    source = small().replace('    """\n    return', f'    """{remark}\n    return')
    assert source != small()
    assert stub_source(source) == stub_source(small())


def test_directive_behind_a_docstring_stays() -> None:
    source = small().replace('    """\n    return', '    """  # noqa: D205\n    return')
    assert '    """  # noqa: D205\n    raise' in stub_source(source)


HEADS = ["", "# A remark.\n", '"""Lesson 1 · Things."""\n\n', '# Above.\n"""Lesson 1."""\n\n']
IMPORTS = [
    "import math\n",
    "from typing import Literal, NamedTuple\n",
    "from collections.abc import Sequence\n",
]
PARTS = [
    'Mode = Literal["a", "b"]\n',
    "SIZE = 4\nWIDTH = SIZE\n",
    "_TABLE = {1: 2}\n",
    '\n\n# About the result.\nclass Result(NamedTuple):\n    """A result."""\n\n    value: float\n\n',
    "\n\nclass _Private:\n    pass\n\n",
    "\n\ndef _helper(x):\n    return x * SECRET\n\n",
    '\n\n@exercise(outcome="1a", minutes=5)\ndef f(x: int = WIDTH) -> "Result":\n'
    '    """Do.\n\n    >>> f(1)\n    1\n    """\n    return SECRET\n\n',
    '\n\n@exercise(outcome="1a", minutes=5)\ndef g(\n    m: Mode,\n) -> Sequence[int]:\n'
    '    """Do.\n\n    >>> g(WIDTH)\n    1\n    """\n    # SECRET\n    return math.sqrt(SECRET)\n\n',
    '\n\n@exercise(outcome="1a", minutes=5)\nclass K:\n    """Do.\n\n    >>> K().k()\n    1\n    """\n\n'
    "    size: int = SIZE\n    _x: int = SECRET\n\n    def k(self) -> Mode:\n        return SECRET\n\n",
    '\n\nif __name__ == "__main__":\n    SECRET()\n',
]


@given(
    st.sampled_from(HEADS),
    st.sets(st.sampled_from(IMPORTS)),
    st.lists(st.sampled_from(PARTS), unique=True, max_size=9),
)
def test_any_stub_compiles_is_a_fixed_point_and_has_every_exercise(
    head: str, imports: set[str], parts: list[str]
) -> None:
    source = head + "".join(sorted(imports)) + "\nfrom grader.student import exercise\n\n" + "".join(parts)
    stub = stub_source(source)
    assert stub_source(stub) == stub
    assert stub.endswith("\n") and not stub.endswith("\n\n")
    assert "SECRET" not in stub
    facts = [(each.name, each.docstring, each.examples) for each in exercises_in(source)]
    assert [(each.name, each.docstring, each.examples) for each in exercises_in(stub)] == facts
    defined = {node.name for node in ast.parse(stub).body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    assert not {"_Private", "_helper"} & defined


def ruff(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("ruff", path=str(Path(sys.executable).parent)) or shutil.which("ruff")
    if program is None:
        pytest.skip("ruff is not installed")
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("solution", REAL_SOLUTIONS, ids=lambda path: path.stem)
def test_stub_of_a_lesson_is_clean_if_its_solution_is(solution: Path, tmp_path: Path) -> None:
    source = solution.read_text(encoding="utf-8")
    stub = stub_source(source, solution.name)
    assert stub_source(stub) == stub
    rules = ["--isolated", "--no-cache", "--line-length=110", "--ignore=F401", "--target-version=py311"]
    lint = ["check", *rules, "--select=E,F,I,UP,B,ANN,D", "--config=lint.pydocstyle.convention='google'"]
    path = tmp_path / solution.name
    for arguments in (lint, ["format", "--check", *rules]):
        path.write_text(source, encoding="utf-8")
        if ruff(*arguments, str(path)).returncode == 0:
            path.write_text(stub, encoding="utf-8")
            result = ruff(*arguments, str(path))
            assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("solution", REAL_SOLUTIONS, ids=lambda path: path.stem)
def test_stub_of_a_lesson_can_be_imported(solution: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = solution.read_text(encoding="utf-8")
    names = run(stub_source(source, solution.name), monkeypatch)
    for exercise in exercises_in(source):
        assert names[exercise.name].__doc__


def test_formatted_fixture_stays_formatted(tmp_path: Path) -> None:
    path = tmp_path / "stub.py"
    path.write_text(STUB.replace("\n    @property\n    def current(self)", "\n    def current(self)"), encoding="utf-8")
    result = ruff("format", "--diff", "--isolated", "--no-cache", "--line-length=110", str(path))
    assert result.returncode == 0, result.stdout
    result = ruff(
        "check", "--isolated", "--no-cache", "--line-length=110", "--ignore=F401", "--select=E,F,I,B", str(path)
    )
    assert result.returncode == 0, result.stdout


# writing stubs


@pytest.fixture
def course(tmp_path: Path) -> Course:
    (tmp_path / "solutions").mkdir()
    for name in ("01_scale", "02_gpu_roofline"):
        (tmp_path / "solutions" / f"lesson{name}.py").write_text(small(), encoding="utf-8")
    return Course(tmp_path)


def test_missing_and_stale_stubs_are_written(course: Course) -> None:
    lessons = course.lessons()
    assert write_stubs(course, lessons) == [lesson.stub for lesson in lessons]
    assert write_stubs(course, lessons) == []
    lessons[1].solution.write_text(small("return 2", 'outcome="1b", minutes=9'), encoding="utf-8")
    assert write_stubs(course, lessons) == [lessons[1].stub]
    assert 'outcome="1b"' in lessons[1].stub.read_text()
    assert sorted(path.name for path in course.exercises.iterdir()) == [lesson.file_name for lesson in lessons]


def test_check_names_what_is_stale_and_writes_nothing(course: Course) -> None:
    lessons = course.lessons()
    assert write_stubs(course, lessons, check=True) == [lesson.stub for lesson in lessons]
    assert not course.exercises.exists()
    write_stubs(course, lessons)
    lessons[0].stub.write_text("", encoding="utf-8")
    assert write_stubs(course, lessons, check=True) == [lessons[0].stub]
    assert lessons[0].stub.read_text() == ""


def test_windows_checkout_of_a_stub_is_up_to_date(course: Course) -> None:
    lessons = course.lessons()
    for path in write_stubs(course, lessons):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert write_stubs(course, lessons, check=True) == []


@pytest.mark.parametrize("work", [small(), small("return (")], ids=["written", "half written"])
def test_work_in_place_of_a_stub_is_never_overwritten(course: Course, work: str) -> None:
    first, second = course.lessons()
    write_stubs(course, [second])
    second.stub.write_text(work, encoding="utf-8")
    with pytest.raises(SolutionError, match="exercises/lesson02_gpu_roofline.py:.* not replaced"):
        write_stubs(course, [first, second])
    assert second.stub.read_text() == work
    assert not first.stub.exists()
    assert write_stubs(course, [second], check=True) == [second.stub]


def test_one_bad_solution_and_nothing_is_written(course: Course) -> None:
    first, second = course.lessons()
    second.solution.write_text(small(docstring=""), encoding="utf-8")
    with pytest.raises(SolutionError, match="solutions/lesson02_gpu_roofline.py:9: one has no docstring"):
        write_stubs(course, [first, second])
    assert not course.exercises.exists()


def test_missing_solution_is_refused(course: Course) -> None:
    lesson = course.lessons()[0]
    lesson.solution.unlink()
    with pytest.raises(SolutionError, match="solutions/lesson01_scale.py:1: cannot be read"):
        write_stubs(course, [lesson], check=True)
