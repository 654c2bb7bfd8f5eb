"""A whole class on the tests' GitHub: handed out, worked in, collected, graded and reported by the real commands."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from github_server import EVERYTHING, Dropped, GitHub
from handing import START, TEMPLATE, state_of
from helpers import PATIENCE, executed, grade, notebook, start_grade
from minicourse import FILES, change, put
from releasing import STUB
from students import EMPTY, FORGETS, GOOD, SQUARES

from grader.gradebook.store import Store

NOTEBOOK = "assignments/mini/mini.ipynb"
CHECK = "assignments/mini/checks/test_box.py"
WORKFLOW = ".github/workflows/grade.yml"
IN_TIME, LATE, AFTERWARDS = "2025-12-02T10:00:00Z", "2025-12-05T10:00:00Z", "2025-12-20T10:00:00Z"
RULE = (
    "due: 2025-12-03T23:59:00Z\nlate: {percent_per_day: 10, days: 3}\n"
    "limits: {load_seconds: 1, check_seconds: 0.5}\nsubmission:"
)
ENDS = "import os\nos._exit(0)\n"
LOOPS = GOOD.replace("return x + x", "while True: pass")
# Who hands in what; each kind has its turn.
KINDS = [
    *(
        "good",
        "squares",
        "forgets",
        "ends",
        "loops",
        "nothing",
        "empty",
        "late",
        "drift",
        "forced",
        "renamed",
        "gone",
    ),
    *("merged_the_fix", "bot_pushed", "only_notes", "teacher_pushed", "spoiled", "improved", "reverted"),
    *("branch", "partner", "absent", "ran_again", "beside", "idle"),
]
BOT = "github-actions[bot]"


def _without_id(text: str) -> str:
    return re.sub("results-[0-9a-f]{16}", "results-", text)


class World:
    """An instructor, a template, a class of so many students, who hand in by turns what `kinds` name."""

    kinds = KINDS

    def __init__(self, root: Path, github: GitHub, template: dict[str, bytes], count: int) -> None:
        self.root, self.github = root, github
        self.course, self.students = root / "course", [f"s{number:02}" for number in range(count)]
        for name, text in FILES.items():
            put(self.course, name, text)
        for name in ("mini.ipynb", "checks/stub.ipynb"):
            put(self.course, f"assignments/mini/{name}", STUB)
        change(self.course, "assignments/mini/assignment.yaml", "submission:", RULE)
        put(self.course, "roster.csv", "student,github\n" + "".join(f"{s},{s}\n" for s in self.students))
        put(self.course, "solutions/course.yaml", "class: {organisation: course, instructors: [teacher]}\n")
        self.token = github.token("teacher", write=EVERYTHING)
        github.clock = START
        github.organisation("course", "teacher")
        github.base = "none"
        github.user(*self.students)
        github.repository(TEMPLATE, is_template=True).push(template, at=START, actor="teacher")

    # The commands

    def commands(self) -> dict[str, list[str]]:
        """In their order, as an instructor types them."""
        return {
            "open": ["open", "mini", "--only", "repositories", "--yes"],
            "collect": ["collect", "mini"],
            "batch": ["batch", "mini"],
            "post": ["post", "mini", "--yes"],
        }

    @property
    def environment(self) -> dict[str, str]:
        return self.github.environment(self.token)

    def start(self, *words: str) -> subprocess.Popen[str]:
        """A command as a process of its own."""
        return start_grade(*words, cwd=self.course, env=self.environment)

    def run(self, *words: str) -> tuple[int, str]:
        """A command to its end: the exit code, and what it printed."""
        ran = grade(*words, cwd=self.course, env=self.environment)
        return ran.code, ran.out + ran.err

    def everything(self, kills: dict[str, Sequence[Any]] | None = None) -> dict[str, tuple[int, str]]:
        """All four; each is killed where `kills` says and then begun again."""
        told = {}
        for name, words in self.commands().items():
            for kill in (kills or {}).get(name, ()):
                self.killed(words, kill)
            told[name] = self.run(*words)
            if name == "open":
                self.work()
        return told

    # The class at work

    def work(self) -> None:
        """Everybody hands in what their kind does."""
        for number, student in enumerate(self.students):
            getattr(self, f"_{self.kinds[number % len(self.kinds)]}")(self.repository(student))

    def repository(self, student: str) -> Any:
        return self.github.repositories[f"course/mini-{student}"]

    def issues(self, student: str) -> list[Any]:
        """Return the student's texts, where the repository has its first name."""
        its = self.github.repositories.get(f"course/mini-{student}")
        return list(its.issues.values()) if its else []

    def _hands_in(self, repository: Any, source: str, at: str = IN_TIME, **more: Any) -> None:
        repository.push({NOTEBOOK: notebook(source)} | more.pop("files", {}), at=at, **more)

    def _good(self, its: Any) -> None:
        self._hands_in(its, GOOD)

    def _squares(self, its: Any) -> None:
        self._hands_in(its, SQUARES)

    def _forgets(self, its: Any) -> None:
        self._hands_in(its, FORGETS, author_date="2001-01-01T00:00:00Z")

    def _ends(self, its: Any) -> None:
        self._hands_in(its, ENDS)

    def _loops(self, its: Any) -> None:
        self._hands_in(its, LOOPS)

    def _nothing(self, its: Any) -> None:
        its.push({NOTEBOOK: None}, at=IN_TIME)

    def _empty(self, its: Any) -> None:
        self._hands_in(its, EMPTY)

    def _late(self, its: Any) -> None:
        self._hands_in(its, SQUARES)
        self._hands_in(its, GOOD, at=LATE, author_date=IN_TIME, committer_date=IN_TIME)
        self._hands_in(its, SQUARES, at=AFTERWARDS, author_date=IN_TIME, committer_date=IN_TIME)

    def _drift(self, its: Any) -> None:
        self._hands_in(
            its, SQUARES, files={CHECK: "def test_grow(student):\n    pass\n", WORKFLOW: "on: push\n"}
        )

    def _forced(self, its: Any) -> None:
        self._hands_in(its, GOOD)
        self._hands_in(its, SQUARES, at=AFTERWARDS, force=True)

    def _renamed(self, its: Any) -> None:
        self._hands_in(its, GOOD)
        its.rename(f"{its.name}-my-own")

    def _gone(self, its: Any) -> None:
        del self.github.repositories[its.name]

    # Whose push came late, and whose work did not

    def _merged_the_fix(self, its: Any) -> None:
        """The instructor's pull request fixes a check; the student merges it, as their page says, after the date."""
        self._hands_in(its, GOOD)
        fix = {CHECK: FILES["assignments/mini/checks/test_box.py"] + "# mended"}
        its.push(fix, at=IN_TIME, ref="fix", onto=its.bare.tip("refs/heads/main"), actor="teacher")
        its.pull(1, head="fix", base="main")
        its.merge(1, at=LATE)

    def _bot_pushed(self, its: Any) -> None:
        """A workflow formats the notebook and pushes; the student goes on with it, in another file."""
        self._hands_in(its, GOOD)
        self._hands_in(its, SQUARES, at=LATE, actor=BOT)
        its.push({"notes.txt": "thanks, robot"}, at=LATE)

    def _idle(self, its: Any) -> None:
        """Pushes nothing, though the invitation was accepted."""
        its.accept(self._student(its))

    def _beside(self, its: Any) -> None:
        """Pushes that leave the notebook as it was handed out, but for its outputs and a note."""
        its.push({"notes.txt": "begun"}, at=IN_TIME)
        its.push({NOTEBOOK: executed(STUB)}, at=LATE)

    def _only_notes(self, its: Any) -> None:
        self._hands_in(its, GOOD)
        for day in (4, 5, 6):
            its.push({"notes.txt": f"day {day}"}, at=f"2025-12-0{day}T10:00:00Z")

    def _teacher_pushed(self, its: Any) -> None:
        """The instructor tries something in the student's repository, on time and late."""
        self._hands_in(its, GOOD)
        self._hands_in(its, SQUARES, at="2025-12-02T11:00:00Z", actor="teacher")
        self._hands_in(its, FORGETS, at=LATE, actor="Teacher")

    def _spoiled(self, its: Any) -> None:
        """Full marks on time, then a late push that breaks it."""
        self._hands_in(its, GOOD)
        self._hands_in(its, SQUARES, at=LATE)

    def _ran_again(self, its: Any) -> None:
        """Jupyter runs, annotates and saves the finished notebook once more, and it is pushed with its outputs, late."""
        self._hands_in(its, GOOD)
        its.push({NOTEBOOK: executed(notebook(GOOD))}, at=LATE)

    def _improved(self, its: Any) -> None:
        """Begun on time, finished a day late, and never touched again but for the notes."""
        self._hands_in(its, FORGETS)
        self._hands_in(its, GOOD, at="2025-12-04T10:00:00Z")
        its.push({"notes.txt": "done"}, at="2025-12-06T10:00:00Z")

    def _reverted(self, its: Any) -> None:
        """A late try that the student takes back."""
        self._hands_in(its, GOOD)
        self._hands_in(its, SQUARES, at="2025-12-04T10:00:00Z")
        self._hands_in(its, GOOD, at=LATE)

    def _branch(self, its: Any) -> None:
        """All of it, and on time, on another branch than the one that counts."""
        its.accept(self._student(its))
        self._hands_in(its, GOOD, ref="solve", onto=its.bare.tip("refs/heads/main"), actor=self._student(its))

    def _partner(self, its: Any) -> None:
        """Both of them work in the first student's repository."""
        its.accept(self._student(its))
        self._hands_in(self.repository(self.students[0]), GOOD, actor=self._student(its))

    def _absent(self, its: Any) -> None:
        """The invitation is in the mail."""

    def _student(self, its: Any) -> str:
        return str(its.name.removeprefix("course/mini-"))

    # Killed

    def killed(self, words: Sequence[str], kill: int | tuple[int, bool]) -> None:
        """Run until the n-th request, before or after its work is done, or until so many results are kept."""
        if isinstance(kill, int):
            self._killed_with_results(words, kill)
        else:
            self._killed_at_request(words, *kill)

    def _killed_at_request(self, words: Sequence[str], number: int, done: bool) -> None:  # noqa: FBT001  a pair
        running: list[subprocess.Popen[str]] = []
        seen = [0]

        def hook(method: str, path: str, its: int, its_done: bool) -> None:  # noqa: FBT001  the server calls it
            seen[0] += its_done == done
            if seen[0] == number and its_done == done:
                self.github.on_request = None
                running[0].send_signal(signal.SIGKILL)
                raise Dropped

        self._until_dead(words, running, hook)

    def _until_dead(
        self, words: Sequence[str], running: list[subprocess.Popen[str]], hook: Callable[..., None]
    ) -> None:
        with self.start(*words) as process:
            running.append(process)
            self.github.on_request = hook
            text, _ = process.communicate(timeout=PATIENCE * 4)
        self.github.on_request = None
        assert process.returncode == -signal.SIGKILL, f"it ended before it was to be killed:\n{text}"

    def _killed_with_results(self, words: Sequence[str], count: int) -> None:
        with self.start(*words) as process:
            while process.poll() is None and self._kept() < count:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            text, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == -signal.SIGKILL, f"it ended before it was to be killed:\n{text}"

    def _kept(self) -> int:
        path = self.course / "results.db"
        if not path.is_file() or not path.stat().st_size:
            return 0
        with Store(path) as store:
            return len(store.students("mini"))

    # What came of it

    def posts(self) -> dict[str, Any]:
        """Return the texts on GitHub, but for the id of the results file."""
        shown = state_of(self.github)
        for name, its in self.github.repositories.items():
            issues = [(i.title, _without_id(i.body), i.state, i.edits) for i in its.issues.values()]
            shown[name]["issues"] = issues
            shown[name]["comments"] = [
                [_without_id(c.body) for c in among] for among in its.comments.values()
            ]
        return shown

    def store(self) -> dict[str, Any]:
        """Return the rows of the results file without times."""
        with closing(Store(self.course / "results.db")._database) as database:
            tables = {
                "results": "SELECT assignment, student, key, score, max_score, outcome FROM results "
                "ORDER BY student, key",
                "submissions": "SELECT assignment, student, version, name, submitted, verified, repository, commit_id, "
                "notes, state, later, not_taken FROM submissions ORDER BY student, version",
                "absent": "SELECT assignment, student, kind, state FROM absent ORDER BY 2",
                "posted": "SELECT assignment, student, place, sha256, record FROM posted ORDER BY 2",
            }
            return {name: database.execute(query).fetchall() for name, query in tables.items()}

    def scores(self) -> dict[str, float | None]:
        """By kind, of the first student of each."""
        from grader.assignment import Course
        from grader.gradebook.grade import grades_of

        with Store(self.course / "results.db") as store:
            found = {r.student: r.score for r in grades_of(Course(self.course).assignment("mini"), store)}
        return {kind: found.get(student) for kind, student in zip(self.kinds, self.students, strict=False)}
