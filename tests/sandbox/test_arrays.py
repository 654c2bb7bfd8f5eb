"""Arrays cross the wall as values: dtype, shape and numbers, nothing of the student's with them."""

from __future__ import annotations

import base64
import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from grader.grading.failures import explain
from grader.manifest import Limits
from grader.sandbox import Launcher, Sandbox, StudentError, SubmissionStopped
from grader.sandbox import arrays as module
from grader.sandbox.arrays import DTYPES, MAX_ELEMENTS, ArrayReading, approx, decode_array, encode_array
from grader.sandbox.live import Live
from grader.sandbox.record import Record
from grader.sandbox.student import Student

if TYPE_CHECKING:
    from collections.abc import Callable

    from syrupy.assertion import SnapshotAssertion


@pytest.fixture
def box_of(loaded: Callable[..., Sandbox]) -> Callable[..., Sandbox]:
    """A function: cells -> a loaded sandbox that has arrays."""
    return lambda source, **limits: loaded(f"import numpy as np\n{source}", ["numpy"], arrays=True, **limits)


# --- Out of the jail and into it


@pytest.mark.parametrize(
    ("made", "expected", "dtype"),
    [
        ("np.arange(6.).reshape(2, 3)", [[0, 1, 2], [3, 4, 5]], "float64"),
        ("np.arange(6.).reshape(2, 3).T", [[0, 3], [1, 4], [2, 5]], "float64"),  # not contiguous
        ("np.arange(6.)[::-2]", [5, 3, 1], "float64"),  # a view
        ("np.broadcast_to(np.float32(0.5), (2, 2))", [[0.5, 0.5], [0.5, 0.5]], "float32"),
        ("np.array([1, 2], dtype='>i8')", [1, 2], "int64"),
        ("np.array([1, 2], dtype='int32')", [1, 2], "int32"),
        ("np.array([True, False])", [True, False], "bool"),
        ("np.array(3.0)", 3.0, "float64"),
        ("np.zeros((2, 0, 3))", [[], []], "float64"),
    ],
)
def test_an_array_is_read(box_of: Callable[..., Sandbox], made: str, expected: Any, dtype: str) -> None:
    found = box_of(f"a = {made}").get("a")

    assert isinstance(found, ArrayReading)
    assert found.dtype.name == dtype
    assert found.tolist() == expected
    assert found.label == "a"


def test_nan_and_infinities_are_read(box_of: Callable[..., Sandbox]) -> None:
    numbers = box_of("a = np.array([np.nan, np.inf, -np.inf, -0.0])").get("a").tolist()

    assert math.isnan(numbers[0])
    assert numbers[1:3] == [math.inf, -math.inf]
    assert math.copysign(1, numbers[3]) == -1


@pytest.mark.parametrize(
    "made",
    [
        "np.array([None, 1])",
        "np.array([1j])",
        "np.array(['a'])",
        "np.zeros(2, dtype=[('x', float)])",
        "np.float16([1])",
        "np.zeros(20_000)",
        "np.zeros((1,) * 9)",
        "np.ma.array([1.0], mask=[True])",
        "type('Mine', (np.ndarray,), {})(3)",
    ],
)
def test_what_is_not_read_says_why(
    box_of: Callable[..., Sandbox], snapshot: SnapshotAssertion, made: str
) -> None:
    assert repr(box_of(f"a = {made}").get("a")) == snapshot


@pytest.mark.ci
@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([*DTYPES]).flatmap(
        lambda name: arrays_of.arrays(
            name, arrays_of.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
        )
    )
)
def test_an_array_that_is_sent_is_the_one_that_is_read(array: np.ndarray[Any, Any]) -> None:
    back = decode_array(json.loads(json.dumps(encode_array(array)))["a"])

    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == np.ascontiguousarray(array).tobytes()


def test_the_students_code_gets_an_array_of_its_own(box_of: Callable[..., Sandbox]) -> None:
    """From `student.array`, and back in place of what an attribute held; it may be changed there."""
    box = box_of(
        "class T:\n    def __init__(self, data): self.data = np.array(data); self.grad = np.zeros_like(self.data)\n"
        "def first(a):\n    a[0] = 7\n    return a"
    )
    student = vars_of(box)
    x = student.T(student.array([[1, 2], [3, 4]]))
    x.grad += 1.0

    assert x.grad == approx([[1, 1], [1, 1]])
    assert student.first(student.array([1, 2])) == approx([7, 2])
    assert student.listed(x.data) == [[1, 2], [3, 4]]


def vars_of(box: Sandbox) -> Student:
    student = Student(box)
    student._loaded = True
    return student


@pytest.mark.parametrize(
    "send",
    [
        lambda student: student.array([[1, 2], [3]]),
        lambda student: student.array([1], "float16"),
        lambda student: student.first(np.zeros(MAX_ELEMENTS + 1)),
        lambda student: student.first(np.array(["a"])),
    ],
)
def test_what_cannot_be_sent_says_why(
    box_of: Callable[..., Sandbox], snapshot: SnapshotAssertion, send: Callable[[Student], object]
) -> None:
    student = vars_of(box_of("def first(a): return a"))
    with pytest.raises(TypeError) as refused:
        send(student)
    assert str(refused.value) == snapshot


def test_a_course_without_arrays_has_none(launcher: Launcher) -> None:
    """Its jail has not imported numpy, and its arrays stay there."""
    box = Sandbox(
        launcher,
        ["import sys\nhas = 'numpy' in sys.modules\nimport numpy\na = numpy.zeros(2)"],
        Limits(),
        ["numpy"],
    )
    box.load()
    assert box.get("has") is False
    assert not isinstance(box.get("a"), ArrayReading)
    with pytest.raises(TypeError, match="needs `arrays: true`"):
        Student(box).array([1])
    box.close()


def test_a_notebooks_arrays_are_values_too() -> None:
    """`check()` reads those of the kernel that it is called in."""
    box = Sandbox(
        Live({"a": np.ones((1, 2)), "first": lambda a: a[0]}, lambda _: False), [], Limits(), arrays=True
    )
    box.load()
    assert box.get("a") == approx([[1, 1]])
    assert vars_of(box).first(module.make_array([[3, 4]], "float32")) == approx([3, 4])


GOOD = encode_array(np.zeros((2, 2)))["a"]


@pytest.mark.parametrize(
    "body",
    [
        None, {}, [], GOOD[:2], [*GOOD, 1], ["object", *GOOD[1:]], [[], *GOOD[1:]], ["float64", 4, GOOD[2]],
        ["float64", [2, 3], GOOD[2]], ["float64", [-2, -2], GOOD[2]], ["float64", [True, 4], GOOD[2]],
        ["float64", [2.0, 2], GOOD[2]], ["float64", [1] * 9, GOOD[2]], ["float64", [MAX_ELEMENTS, 2], GOOD[2]],
        ["float64", [2, 2], "?" + GOOD[2]], ["float64", [2, 2], GOOD[2][:-4]], ["float64", [2, 2], 5],
        ["bool", [3], base64.b64encode(b"\2\0\1").decode()], ["float64", [10**400], ""],
    ],
)  # fmt: skip
def test_a_forged_array_ends_the_submission(body: Any) -> None:
    with pytest.raises(SubmissionStopped):
        decode_array(body)


# --- What a check expects


def shown(actual: Any, expected: Any) -> list[str]:
    """The row of `assert actual == expected`."""
    (row,) = explain(AssertionError("assert a"), [("==", actual, expected)], Record()).readings
    return [row.label, row.actual, row.expected]


def reading(numbers: Any, dtype: str = "float64") -> ArrayReading:
    found = module.make_array(numbers, dtype)
    found.label = "x.grad"
    return found


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        ([[1, 2], [3, 4]], approx([[1, 2], [3, 4]])),
        ([[1, 2], [3, 4 + 1e-8]], approx([[1, 2], [3, 4]])),
        ([1, 2], approx([1, 2])),
        (3.0, approx(3.0)),
        ([math.inf, math.nan], approx([math.inf, math.nan], nan_ok=True)),
        ([[1.1]], approx([[1.0]], abs=0.2)),
        (np.zeros((0, 3)), approx(np.zeros((0, 3)))),
        ([[1, 2]], [[1, 2]]),
    ],
)
def test_what_is_equal(actual: Any, expected: Any) -> None:
    assert reading(actual) == expected
    assert ArrayReading.__ne__(reading(actual), expected) is False


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        ([[1.0, 1.0]], approx([1, 1])),
        ([1.0, 1.0], approx(1.0)),  # a number does not stand for an array of it
        ([[1.0], [1.0]], approx([1, 1])),
        ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], approx([[1, 2, 3], [4, 0, 0]])),
        ([math.inf], approx([[1.0]])),
        ([math.inf], approx([1.0])),
        ([1.0], approx([math.inf])),
        ([math.nan], approx([math.nan])),
        (3.0, approx([3.0])),
        ([1.0, 2.0], [1.0, 3.0]),
    ],
)
def test_the_shape_is_told_first_then_the_first_wrong_entry(
    snapshot: SnapshotAssertion, actual: Any, expected: Any
) -> None:
    assert reading(actual) != expected
    assert shown(reading(actual), expected) == snapshot


def test_a_number_is_no_array_of_it() -> None:
    """A gradient that is still 0.0 or 1.0 passes nothing."""
    assert approx([[1.0, 1.0]]) != 1.0
    assert approx([[1.0, 1.0]]) != [1.0, 1.0]
    assert approx([[1.0, 1.0]]) != [[1.0], [1.0, 2.0]]
    assert shown(1.0, approx([[1.0, 1.0]]))[1:] == ["the number 1", "an array of shape (1, 2)"]


def test_a_single_precision_array_has_its_rounding() -> None:
    assert reading([[0.1]], "float32") == approx([[0.1]])
    assert reading([[0.1001]], "float32") != approx([[0.1]])


def test_entries_and_parts_keep_the_name() -> None:
    x = reading([[1, 2], [3, 4]])
    assert x[0, 1].label == "x.grad[0, 1]"
    assert x[1].label == "x.grad[1]"
    assert x[:1].label == "x.grad[:1]"
    assert x[1:, ::2].label == "x.grad[1:, ::2]"
    assert [row.label for row in x] == ["x.grad[0]", "x.grad[1]"]
    assert x.shape.label == "x.grad.shape"
    assert (x + 1) == approx([[2, 3], [4, 5]])
    with pytest.raises(ValueError, match="read-only"):
        x[0, 0] = 5


def test_rows_of_different_lengths_are_the_authors_error() -> None:
    with pytest.raises(TypeError, match="differ in length"):
        approx([[1, 2], [3]])


# --- The jail holds with numpy in it

READS = """
def attack(path):
    told = []
    for way in (
        np.load, np.memmap, np.fromfile, np.loadtxt, np.genfromtxt, lambda p: np.load(p, allow_pickle=True),
        lambda p: np.lib.npyio.NpzFile(p), lambda p: np.ctypeslib.load_library(p, "/"),
        lambda p: __import__("ctypes").CDLL(p), lambda p: np.zeros(3).tofile(p), lambda p: np.save(p, np.zeros(3)),
    ):
        try:
            way(path)
        except (OSError, AttributeError, ImportError) as error:
            told.append(type(error).__name__)
        else:
            told.append("escaped")
    return told
"""


def test_no_way_of_numpys_reads_or_writes_a_file(box_of: Callable[..., Sandbox], tmp_path: Path) -> None:
    """Files for everybody to read: the jail's walls hold, not the file's mode."""
    secret = tmp_path / "secret.npy"
    np.save(secret, np.zeros(64))
    for folder in (*tmp_path.parents, tmp_path)[:-2]:
        if os.access(folder, os.W_OK) and folder.is_relative_to("/tmp"):
            folder.chmod(0o755)
    secret.chmod(0o666)
    before = secret.read_bytes()

    told = vars_of(box_of(READS)).attack(str(secret))

    assert "escaped" not in told
    assert len(told) == 11
    assert secret.read_bytes() == before


def test_memory_has_its_limit(box_of: Callable[..., Sandbox]) -> None:
    student = vars_of(box_of("def attack(): return np.ones((100_000, 100_000)).sum()", memory_mb=256))
    with pytest.raises(StudentError, match="MemoryError"):
        student.attack()


HOSTILE = """
class Says:
    def __array__(self, *_, **__): raise SystemExit("asked for an array")
    def __array_ufunc__(self, *_, **__): return True
    def __array_function__(self, *_, **__): return True
    def __eq__(self, other): return True
    def __hash__(self): return 0
    shape, dtype, ndim, size = (2, 2), np.dtype("float64"), 2, 4
    def tolist(self): return [[1.0, 1.0], [1.0, 1.0]]

class Mine(np.ndarray):
    def __array_finalize__(self, obj): raise SystemExit("made")
    def astype(self, *_): return np.ones((2, 2))

says = Says()
class Equal:
    def __eq__(self, other): return True
    def __hash__(self): return 0

objects = np.array([Equal(), Equal()])
try:
    mine = np.zeros((2, 2)).view(Mine)
except SystemExit:
    mine = np.ndarray.__new__(np.matrix, (2, 2))
np.ndarray = np.asarray = np.frombuffer = Says
"""


@pytest.mark.parametrize("name", ["says", "objects", "mine"])
def test_what_only_looks_like_an_array_is_equal_to_nothing(box_of: Callable[..., Sandbox], name: str) -> None:
    """No method of the student's is asked, and numpy's own names may mean what they want there."""
    found = box_of(HOSTILE).get(name)

    assert not isinstance(found, ArrayReading)
    assert found != approx([[1.0, 1.0], [1.0, 1.0]])


def test_names_of_numpys_may_mean_something_else(box_of: Callable[..., Sandbox]) -> None:
    """Arrays come and go as before."""
    student = vars_of(box_of("def same(a): return a\nnp.ndarray = np.frombuffer = np.float64 = print"))
    assert student.same(student.array([[1, 2]])) == approx([[1, 2]])


def test_numpy_runs_in_one_thread(launcher: Launcher, box_of: Callable[..., Sandbox]) -> None:
    """A fork has one thread alone, and the others would wait for ever."""
    student = vars_of(
        box_of("def product(): return float((np.ones((300, 300)) @ np.ones((300, 300))).sum())")
    )
    assert student.product() == 300.0**3
    numpys = launcher._others[("numpy",)]
    assert numpys._process is not None
    assert len(list(Path(f"/proc/{numpys._process.pid}/task").iterdir())) == 1


def test_a_jail_that_was_killed_is_counted_and_a_launcher_that_died_is_noticed() -> None:
    """As for other jails: `grade batch` tries such work again, with a new launcher."""
    with Launcher() as launcher:
        box = Sandbox(
            launcher,
            ["def end():\n    import os\n    os.kill(os.getpid(), 9)"],
            Limits(),
            ["numpy"],
            arrays=True,
        )
        box.load()
        numpys = launcher._others[("numpy",)]
        assert numpys._process is not None
        (jail,) = Path(f"/proc/{numpys._process.pid}/task/{numpys._process.pid}/children").read_text().split()
        os.kill(int(jail), 9)
        with pytest.raises(SubmissionStopped):
            box.get("end")
        assert launcher.kill_count == 1

        assert launcher.alive
        numpys._process.kill()
        numpys._process.wait()
        assert not launcher.alive


def test_an_object_that_a_check_puts_into_an_attribute_is_not_asked_for_a_shape(box_of) -> None:
    """One request: what is told of arrays costs nothing elsewhere."""
    box = box_of("class Box: pass\none, other = Box(), Box()")
    one, other, asked = box.get("one"), box.get("other"), []
    box.watcher = lambda request, send: (asked.append(request["op"]), send(request))[1]

    one.other = other
    one.rows = np.array([1.0, 2.0])

    assert asked == ["set", "set"]
    assert box.record.given.keys() == {"one.rows"}
