"""The times of another git server: a table beside the folder keeps the rules of late work, and a page has a script for it."""

import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from helpers import grade
from minicourse import change, put
from students import EMPTY, GOOD

PAGE = Path(__file__).parents[2] / "docs" / "gitlab.md"
LATE = "due: 2026-12-01T23:59:00Z\nlate: {percent_per_day: 10, days: 7}\nsubmission:"


@pytest.fixture
def late(mini):
    """The miniature course with a due date, and a student with more time."""
    change(mini.course.root, "assignments/mini/assignment.yaml", "submission:", LATE)
    put(mini.course.root, "solutions/mini/extensions.csv", "student,due,why\ngrace,+3d,ill\n")
    return mini.course.root


def points(root):
    """The points of each student with lateness, from the table for a gradebook."""
    ran = grade("report", "mini", "--format", "csv", cwd=root)
    head, *rows = (line.split(",") for line in ran.out.splitlines())
    return {row[head.index("student")]: float(row[head.index("score")]) for row in rows}


def test_times_of_a_table_keep_late_rules_and_extensions(late):
    """One on time, one two days late, one as late with more time, and one without a time."""
    for student in ("ada", "bob", "grace", "kim"):
        put(late, f"students/{student}/mini.py", GOOD)
    put(
        late,
        "times.csv",
        "student,pushed\nada,2026-12-01T22:00:00Z\nbob,2026-12-03T13:00:00+01:00\ngrace,2026-12-03T12:00:00Z\n",
    )
    ran = grade("batch", "mini", "students", "--times", "times.csv", cwd=late)
    assert ran.code == 0, ran.text
    assert "note: times.csv has no time for kim; their work counts as on time" in ran.text
    assert points(late) == {"ada": 100, "bob": 80, "grace": 100, "kim": 100}


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("student,time\nada,2026-12-01T22:00:00Z\n", "times.csv, line 1: begin the table with a line `student,pushed`"),
        ("student,pushed\nadda,2026-12-01T22:00:00Z\n", "times.csv, line 2: students has no student `adda` (did you mean `ada`?)"),
        ("student,pushed\nada,2026-12-01T22:00:00\n", "times.csv, line 2: `2026-12-01T22:00:00` is not a time with a time zone; write 2026-12-08T23:59:00Z"),
        ("student,pushed\nada,2026-12-01T22:00:00Z\nada,2026-12-02T22:00:00Z\n", "times.csv, line 3: ada already has a line above; give each student one line"),
    ],
    ids=["another column", "nobody", "no zone", "twice"],
)  # fmt: skip
def test_a_table_that_cannot_be_used(mini, table, told):
    """Named by its line, before anything is graded."""
    put(mini.course.root, "students/ada/mini.py", GOOD)
    put(mini.course.root, "times.csv", table)
    ran = grade("batch", "mini", "students", "--times", "times.csv", cwd=mini.course.root)
    assert (ran.code, ran.err) == (2, f"grade: {told}\n")
    assert not (mini.course.root / "results.db").exists()


def test_work_that_was_collected_has_its_times(mini):
    """A table beside them would be the second answer to one question."""
    (mini.course.root / "works" / ".collected").mkdir(parents=True)
    put(mini.course.root, "times.csv", "student,pushed\nada,2026-12-01T22:00:00Z\n")
    ran = grade("batch", "mini", "works", "--times", "times.csv", cwd=mini.course.root)
    assert ran.code == 2
    assert ran.err == "grade: --times: works has the times from `grade collect`; leave out --times\n"


# --- The script for GitLab

PUSHES = {  # by project, the newest first: time, branch, commit
    "backprop/ada": [("2026-12-02T10:00:00.000Z", "draft", "d1"), ("2026-12-01T22:40:00.000Z", "main", "a2")],
    "backprop/bob": [("2026-12-05T10:00:00.000+01:00", "main", "b2"), ("2026-12-01T10:00:00Z", "main", "b1")],
    "backprop/grace": [("2026-12-03T12:00:00.000Z", "main", "g1")],
    "backprop/kim": [],
    "backprop/lin": [("2026-12-01T10:00:00Z", "main", "l1")],
}
FILES = {"a2": GOOD, "b1": GOOD, "b2": EMPTY, "g1": GOOD}  # by commit


class GitLab(BaseHTTPRequestHandler):
    """The two requests of the script, as GitLab's documentation describes them ("Events API", "Repository files API")."""

    def do_GET(self):
        """Answer with a project's pushes, or with the notebook of a commit."""
        url, query = urlsplit(self.path), parse_qs(urlsplit(self.path).query)
        events = re.fullmatch(r"/api/v4/projects/([^/]+)/events", url.path)
        raw = re.fullmatch(r"/api/v4/projects/([^/]+)/repository/files/([^/]+)/raw", url.path)
        body = None
        if self.headers["PRIVATE-TOKEN"] == "a-token" and events and query["action"] == ["pushed"]:
            pushes = PUSHES[unquote(events[1])][: int(query["per_page"][0])]
            body = json.dumps([
                {"action_name": "pushed to", "created_at": time, "push_data": {"ref": ref, "ref_type": "branch", "commit_to": commit}}
                for time, ref, commit in pushes
            ])  # fmt: skip
        elif raw and unquote(raw[2]) == "assignments/mini/mini.ipynb" and query["ref"][0] in FILES:
            lines = FILES[query["ref"][0]].splitlines(keepends=True)
            cell = {
                "cell_type": "code",
                "id": "a",
                "metadata": {},
                "outputs": [],
                "execution_count": None,
                "source": lines,
            }
            body = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
        self.send_response(404 if body is None else 200)
        self.end_headers()
        self.wfile.write((body or "").encode())

    def log_message(self, *_):
        """Stay silent."""


def test_the_script_for_gitlab(late):
    """It takes the newest push that counts; nobody's trouble stops it, and the times keep the rules."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), GitLab)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (script,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for old, new in (
        ("https://gitlab.example.edu", f"http://127.0.0.1:{server.server_port}"),
        ("assignments/day2/day2_sums.ipynb", "assignments/mini/mini.ipynb"),
    ):
        assert script.count(old) == 1
        script = script.replace(old, new)
    put(late, "gitlab.py", script)
    students = [name.partition("/")[2] for name in PUSHES]
    lines = [f"{one},backprop/{one},{'2026-12-08T22:59:00Z' * (one == 'grace')}" for one in students]
    put(late, "roster.csv", "\n".join(["student,repository,until", *lines, ""]))
    try:
        done = subprocess.run(
            [sys.executable, "gitlab.py"], cwd=late, env={**os.environ, "GITLAB_TOKEN": "a-token"},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    finally:
        server.shutdown()
        server.server_close()
    left_out = ["kim is left out: list index out of range", "lin is left out: HTTP Error 404: Not Found"]
    assert done.stdout.splitlines() == left_out
    ran = grade("batch", "mini", "students", "--times", "times.csv", cwd=late)
    assert ran.code == 0, ran.text
    assert points(late) == {"ada": 100, "bob": 100, "grace": 100}
