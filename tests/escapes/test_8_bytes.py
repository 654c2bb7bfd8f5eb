"""Promise 8: a submission cannot crash, hang or confuse the grader with any bytes that it sends, or is made of.

Whatever a jail sends ends in a verdict or in a failure with a named cause, in time, and the next submission is graded
as ever. The kinds of bytes are many, so they are graded in one warm grader, as in a batch, with an honest submission
after each.

A submission's file is read by the grader itself, outside of every jail: each hostile or broken one ends in a report or
a clear refusal, soon and in little memory. What was seen before it was read as it is now: 94 MB of `{}` in a notebook
of format 3 took nbformat two minutes and 16 GB; a megabyte declared to be punycode, or `# %% ` and 170,000 times
`tags=[`, took minutes; lone halves of characters, which `unicode_escape` makes, could not be sent to the jail and were
told as a failure of the check.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from escapes.files import notebooks, sources
from escapes.files.notebooks import cell, many, notebook, old
from escapes.ground import EXPECTED, HERE, HONEST, Ground, Tried, attacks
from escapes.stories import cases, graded, it_is_held
from sampled import every

from grader.submissions.submission import SubmissionError, read_submission

# --- What a jail sends

ATTACKS = {attack.name: attack for attack in attacks("frames")}
TOTAL = 5  # seconds, in the manifest
RIGHT = f"def answer():\n    return {EXPECTED}\n"


@pytest.mark.parametrize("name", ["any_answer", pytest.param("lost_channel", marks=pytest.mark.ci)])
def test_held(ground: Ground, name: str) -> None:
    it_is_held(ground, ATTACKS[name])


@pytest.mark.ci
@pytest.mark.parametrize("case", cases(ATTACKS["lost_channel"]))
def test_lost_channel(ground: Ground, case: str) -> None:
    """A jail that lost its channel has ended or is out of time; some attacks happen to pass."""
    tried, honest = graded(ground, ATTACKS["lost_channel"], RIGHT, HONEST)[case]

    assert cases(ATTACKS["lost_channel"])[case][0] in said(tried)
    assert [check.outcome for check in tried.report.checks].count("passed") >= 1
    assert tried.report.score in (50, 100)
    it_was_in_time(tried)
    assert is_honest(honest)


@pytest.mark.ci
@pytest.mark.parametrize("case", cases(ATTACKS["any_answer"]))
def test_any_answer(ground: Ground, case: str) -> None:
    """A submission that answers for the jail gets no points of the hidden check."""
    attack = ATTACKS["any_answer"]
    (tried, honest) = graded(ground, attack, "", HONEST)[case]

    assert cases(attack)[case][0] in said(tried)
    assert tried.report.checks[-1].outcome in ("failed", "todo")
    it_was_in_time(tried)
    assert is_honest(honest)


def said(tried: Tried) -> str:
    """Return all that the student reads."""
    return " ".join([tried.told, *(check.message for check in tried.report.checks), *tried.report.notes])


def it_was_in_time(tried: Tried) -> None:
    """Check that the grading was ended, with a minute for a busy machine; without its deadline it would take hours."""
    assert tried.report.seconds < TOTAL + 60


def is_honest(tried: Tried) -> bool:
    """Return True where the honest submission was graded as on its own."""
    return [check.outcome for check in tried.report.checks] == ["passed", "failed"] and not tried.report.notes


# Runs without.py as it is and then tells the most memory that it had, in kilobytes.
MEASURED = """
import resource, runpy, sys
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
print("most", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.ci
def test_the_grader_does_not_grow(weak_ground: Ground) -> None:
    """Thirty submissions need no more memory than two."""
    path = weak_ground.submission(ATTACKS["large_errors"])

    def megabytes(times: int) -> int:
        command = [weak_ground.python, "-c", MEASURED, HERE / "without.py", "nothing", *[path] * times]
        return int(weak_ground.run([str(word) for word in command]).stdout.split()[-1]) >> 10

    assert megabytes(30) < megabytes(2) + 30


# --- What its file is made of

SOON = 60  # seconds, hundreds of times what it takes; what hangs takes for ever
REFUSED = {
    **{f"{name}.ipynb": case for name, case in notebooks.REFUSED.items()},
    **{f"{name}.py": case for name, case in sources.REFUSED.items()},
}
READ: dict[str, Callable[[], bytes]] = {
    **{f"{name}.ipynb": make for name, make in notebooks.READ.items()},
    **{f"{name}.py": make for name, make in sources.FILES.items()},
}
SOME = list(READ)[::4]  # those that are read by default
CELLS = every(2, sources.CELLS)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(tmp_path: Path, name: str) -> None:
    """The file is refused in one line that says what to do."""
    make, why = REFUSED[name]
    path = tmp_path / f"vault{Path(name).suffix}"
    path.write_bytes(make())
    started = time.monotonic()

    with pytest.raises(SubmissionError) as caught:
        read_submission(path)

    text = str(caught.value)
    assert time.monotonic() - started < SOON
    assert text.startswith(f"{path}: {why}")
    assert text.isprintable()
    assert len(text) < len(str(path)) + 200


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in SOME else pytest.mark.ci) for name in READ]
)
def test_read(ground: Ground, name: str) -> None:
    """The honest part of the file counts."""
    it_counts(_files(ground, name in SOME)[name])


@cache
def _files(ground: Ground, some: bool) -> dict[str, Tried]:  # noqa: FBT001  the key of a cache
    """Grade the files that are SOME, or the others, in one warm grader."""
    names = [name for name in READ if (name in SOME) is some]
    return dict(
        zip(names, all_graded(ground, [(READ[n](), f"vault{Path(n).suffix}") for n in names]), strict=True)
    )


@pytest.mark.ci
@pytest.mark.parametrize("name", CELLS)
def test_cells(weak_ground: Ground, name: str) -> None:
    """The honest cell beside it counts; the cell gets a note at most."""
    tried = _cells(weak_ground)[name]

    it_counts(tried)
    assert sources.CELLS[name][1] in " ".join(tried.report.notes)


@cache
def _cells(ground: Ground) -> dict[str, Tried]:
    cells = [with_cell(sources.CELLS[name][0]()) for name in CELLS]
    return dict(zip(CELLS, all_graded(ground, [(cell, "vault.py") for cell in cells]), strict=True))


def with_cell(cell: str) -> bytes:
    """Return a file of this cell and an honest one."""
    return f"# %%\n{cell}\n\n# %%\n{HONEST}".encode()


def all_graded(ground: Ground, files: list[tuple[bytes, str]]) -> list[Tried]:
    paths = [ground.hand_in(source, name, f"file-{i}") for i, (source, name) in enumerate(files)]
    return ground.without("nothing", paths)


def it_counts(tried: Tried) -> None:
    assert tried.told == "held"
    assert tried.report.score == 50
    assert tried.report.seconds < SOON


@pytest.mark.ci
def test_slow_to_compile(weak_ground: Ground) -> None:
    """The note names the cell, which is left out; once it was compiled again for every test, and not named."""
    with weak_ground.limits(load_seconds=0.3):
        (tried,) = all_graded(weak_ground, [(with_cell(sources.SLOW), "vault.py")])

    assert tried.told == "held"
    assert "cell 1" in tried.report.notes[0]


# --- The worst of them through the command

# What is made of the file, the exit code, the megabytes that the grader and its jail may take.
HUGE: dict[str, tuple[Callable[[], bytes], int, int]] = {
    "50 MB of outputs": (lambda: notebook(cell(more=f', "outputs": ["{"A" * (50 << 20)}"]')), 1, 200),
    "34 MB of cells": (lambda: notebook(text=many('{"cell_type":"ab"}', 2_000_000)), 2, 100),
    "29 MB of an old format": (lambda: old(many("{}", 10_000_000)[1:-1]), 2, 100),
}


@pytest.mark.ci
@pytest.mark.parametrize("name", HUGE)
def test_huge(weak_ground: Ground, name: str) -> None:
    """The memory of the grader and of all that it starts stays near the size of the file."""
    (make, code, megabytes), ground = HUGE[name], weak_ground
    path = ground.hand_in(make(), "vault.ipynb")
    grade, started = str(ground.python.with_name("grade")), time.monotonic()

    done, taken = ground.measured([grade, "vault", str(path)])

    assert done.returncode == code, done.stdout + done.stderr
    assert b"Traceback" not in done.stderr
    assert taken < megabytes
    assert time.monotonic() - started < SOON


def _refusal(ground: Ground, path: Path) -> str:
    done = ground.run([str(ground.python.with_name("grade")), "vault", str(path)])
    assert done.returncode == 2
    assert done.stdout == b""
    return done.stderr.decode().removeprefix("grade: ").removesuffix("\n")


def test_sixty_four_gigabytes(ground: Ground) -> None:
    """A sparse file is refused without being read."""
    path = ground.hand_in("")
    with path.open("wb") as file:
        file.truncate(1 << 36)

    assert _refusal(ground, path).startswith(f"{path}: the file has more than 2000 cells")


def test_a_name_full_of_commands(ground: Ground) -> None:
    """The message shows the name in one line, without control characters."""
    path = ground.hand_in(b"# coding: hex\n", "\x1b[2J\n::error::##[error]\u202ex.py")

    text = _refusal(ground, path)

    assert text.isprintable()
    assert text.endswith(
        "/ [2J ::error::# #[error] x.py: the text is not in the encoding `hex`; remove the comment with `coding` at the top of the file, and save the file as UTF-8"
    )


@pytest.mark.ci
def test_an_assignment_full_of_commands(ground: Ground) -> None:
    """The name of the assignment in a notebook is shown in one short line."""
    wild = r'"\u001b[2J\n::error::' + "x" * 10**6 + '"'
    metadata = f', "metadata": {{"backgrade": {{"assignment": {wild}}}}}'
    path = ground.hand_in(notebook(cell(), more=metadata), "vault.ipynb")

    text = _refusal(ground, path)

    assert text.isprintable()
    assert text.startswith(f"{path}: this is the notebook of  [2J ::error::xxx")
    assert len(text) < 500


def test_a_message_full_of_commands(ground: Ground) -> None:
    """No printed line starts a command of the runner, and none has control characters."""
    errors = ["'\\x1b[2J\\x9b2J\\x07'", "'x\\n::error::y\\r##[error]z'", "'\\u202e\\u2066\\ufeff'"]
    path = ground.hand_in("".join(f"# %%\nraise ValueError({e})\n" for e in errors) + f"# %%\n{HONEST}")

    done = ground.run([str(ground.python.with_name("grade")), "vault", str(path)])

    lines = done.stdout.decode().splitlines()
    assert done.returncode == 1
    assert all(line.isprintable() and not line.lstrip().startswith("::") for line in lines)
    assert "##[" not in done.stdout.decode()
