"""Submissions that agree in an unlikely way: the odds, the list, both sources side by side, a folder for other tools."""

import csv
import hashlib
import random
import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from explained import ADD, ASSIGNED, MUL, OTHER, SWAPPED, WALK, check
from helpers import grade, notebook, same_as_snapshot
from hostile import HOSTILE, obeyed
from minicourse import put
from msgspec.structs import replace
from students import by, course, told

from grader.assignment import Course
from grader.autograd.facts import ArrayFact
from grader.gradebook.copies import export, sources
from grader.gradebook.copies.agreement import MOST_EXPECTED, Fault, Handed, compare, faults_of
from grader.gradebook.store import Store
from grader.grading.facts import AnswerFact
from grader.report import KnownMistake, Mismatch, Outcome, WrongRule
from grader.submissions.work import Found, HandedIn, Work

ADA = "# %%\ndef double(x):\n    twice = x * x  # as in the book\n    return twice\n"
BOB = "# %%\ndef double(x):\n    twice = x * x  # as in the book\n    return (twice)\n"
STUB = notebook("import math", "def double(x):\n    raise NotImplementedError('write double')")


def report_with(*checks):
    """A report with these checks, and one that passed."""
    report = told({"double": 10})
    report.checks += checks
    return report


def wrong_answers(**values):
    """A failed check for each answer that has a wrong value."""
    return [
        check(
            name,
            "A question.",
            asked="a question.",
            message=f"`{name}` is {value}, which is not right.",
            facts=[AnswerFact(name, str(value)).fact()],
        )
        for name, value in values.items()
    ]


def compared(reports, repositories=None):
    """Compare a class by its reports."""
    faults, handed = {}, []
    for student, report in reports.items():
        keys = [faults.setdefault(fault.key, fault).key for fault in faults_of(report)]
        handed.append(Handed((student,), frozenset(keys), repository=(repositories or {}).get(student, "")))
    return compare(handed, faults)


def others(count, **values):
    """So many students with one wrong value each that nobody else has, or all with these."""
    return {f"s{i:02}": report_with(*wrong_answers(**(values or {"mine": i * 1000}))) for i in range(count)}


# --- The odds


def test_the_odds_by_hand():
    """Four answers that only ada and bob have among 40, and one of ada's own: 5 ways, and half of 1/40 for each.

    The others' odd values scatter: of their 703 pairs at one question none agrees.
    """
    same = {"p": 11, "q": 12, "r": 13, "s": 14}
    ada, bob = report_with(*wrong_answers(**same, own=5)), report_with(*wrong_answers(**same))

    found = compared({"ada": ada, "bob": bob, **others(38), "full": report_with()})

    assert (found.graded, found.students, found.pairs) == (41, 40, 780)
    (one,) = found.found
    assert (one.students, one.agree, one.differ) == (("ada", "bob"), 4, 1)
    assert one.chance == pytest.approx(5 * (0.5 / 40) ** 4)
    assert [(shared.words, shared.holders) for shared in one.shared] == [
        ("`p` is 11.", 2),
        ("`q` is 12.", 2),
        ("`r` is 13.", 2),
        ("`s` is 14.", 2),
    ]


def test_others_who_have_it_make_it_likelier():
    """An odd answer of three students has the chance 1.5 in 40 for a pair of them, one of two has 0.5 in 40."""
    ada = report_with(*wrong_answers(p=11, q=12, r=13, s=14))
    also = {"cy": report_with(*wrong_answers(p=11)), "dan": report_with(*wrong_answers(q=12))}

    (one,) = compared({"ada": ada, "bob": ada, **also, **others(36)}).found

    assert one.chance == pytest.approx((1.5 / 40) ** 2 * (0.5 / 40) ** 2)


def test_what_differs_counts_against():
    """With enough faults of their own, the same three agreements are no longer unlikely."""
    same = {"p": 11, "q": 12, "r": 13}
    apart = [{f"{student}{i}": i for i in range(5)} for student in "ab"]
    ada, bob = (report_with(*wrong_answers(**same, **own)) for own in apart)

    assert compared({"ada": ada, "bob": bob, **others(58)}).found == []
    assert compared({"ada": ada, "bob": ada, **others(58)}).found != []


def test_common_faults_count_for_nothing():
    """A whole class with the same three wrong answers, and two with one more in common: nobody is listed."""
    common = {"p": 11, "q": 12, "r": 13}
    reports = others(60, **common)
    reports |= {name: report_with(*wrong_answers(**common, own=7)) for name in ("ada", "bob")}

    assert compared(reports).found == []


def test_one_idea_is_one_cause():
    """`=` instead of `+=` in two operations is one cause, and so are both inputs of one operation."""
    assigned = [
        WrongRule(
            op, "self", f"self.grad = {op}", f"In a {op} b your engine does this. {ASSIGNED.words[45:]}", ADD
        )
        for op in ("+", "*")
    ]
    report = report_with(
        check("add", "Sums.", rules=assigned[:1]),
        check("mul", "Products.", rules=[assigned[1], SWAPPED, OTHER]),
        *wrong_answers(p=1, q=2, r=3),
    )

    (one,) = compared({"ada": report, "bob": report, **others(78)}).found

    assert one.agree == 4
    assert [shared.counts for shared in one.shared].count(False) == 3


def test_what_follows_from_a_fault_does_not_count(snapshot):
    """Numbers of an engine whose rule is wrong, a check that leads to another, and one that did not fail."""
    numbers = [Mismatch("a.n", "a = 2", "7", "8")]
    leads = check("parity", "All.", see="mul", readings=numbers, rules=[ASSIGNED])
    report = report_with(
        check("mul", "Products.", rules=[SWAPPED]),
        check("sum", "Sums.", readings=numbers),
        leads,
        check("todo", "To do.", Outcome.TODO, readings=numbers),
    )

    assert [fault.key for fault in faults_of(report)] == snapshot


def test_every_kind_of_fault_is_compared(snapshot):
    """A rule, a walk, a known mistake, a known wrong answer, an unknown one; numbers, where nothing explains them."""
    report = report_with(
        check("mul", "Products.", rules=[SWAPPED]),
        check("order", "The order.", walk=WALK),
        check(
            "box", "A box.", mistakes=[KnownMistake("forgets", "It forgets."), KnownMistake("p: a = 9", "9?")]
        ),
        *wrong_answers(q=77),
    )
    plain = report_with(check("sum", "Sums.", readings=[Mismatch("f(2)", "", "7", "8")]))

    assert [min(fault.ideas) for fault in faults_of(report)] == [
        "rule *",
        "walk",
        "check box",
        "answer p",
        "answer q",
    ]
    assert [fault.key for fault in faults_of(plain)] == snapshot


def test_a_wrong_rule_of_arrays_is_compared_with_its_reduction():
    """The statement alone is the same for who sums nothing and for who takes an average."""
    statement = "other.grad += out.grad"
    made = check("add", "Sums.", rules=[WrongRule("+", "other", statement, "In a + b your engine ...", ADD)])
    facts = [
        ArrayFact("+", "other", statement, "a + b", "a", "b", reduction=reduction).fact()
        for reduction in ("left left", "averaged averaged")
    ]
    found = [faults_of(report_with(replace(made, facts=[fact])))[0] for fact in facts]

    assert [fault.words for fault in found] == ["In a + b your engine ..."] * 2
    assert found[0].key != found[1].key
    assert min(found[0].ideas) == "rule +"


def test_a_rule_without_a_formula_is_not_compared():
    """Nobody knows whether two such rules are the same."""
    report = report_with(check("mul", "Products.", rules=[WrongRule("*", "self", "", "No formula.", MUL)]))
    assert faults_of(report) == []


def test_a_team_that_hands_in_one_repository_is_no_pair():
    """They worked together openly and count as one; a third student who agrees with them is listed."""
    report = report_with(*wrong_answers(p=1, q=2, r=3, s=4, t=5))
    team = {"ada": "org/team", "bob": "org/team", "cy": "org/cy"}

    assert compared({"ada": report, "bob": report, **others(38)}, team).found == []
    found = compared({"ada": report, "bob": report, "cy": report, **others(38)}, team).found
    assert [one.students for one in found] == [("ada + bob", "cy")]


def test_a_group_is_listed_once():
    """Three students who share the same faults are one entry, with the odds of a pair of them."""
    report = report_with(*wrong_answers(p=1, q=2, r=3, s=4))

    (one,) = compared({"ada": report, "bob": report, "cy": report, **others(57)}).found

    assert one.students == ("ada", "bob", "cy")
    assert one.chance == pytest.approx((1.5 / 60) ** 4)


def test_a_class_of_teams():
    """Each fault has two owners in every team, which says nothing; two teams that agree are listed."""
    report, teams, repositories = report_with(*wrong_answers(p=7, q=17, r=23)), {}, {}
    for i in range(20):
        own = report if i < 2 else report_with(*wrong_answers(p=i * 10, q=i * 20))
        for student in (f"a{i:02}", f"b{i:02}"):
            teams[student], repositories[student] = own, f"org/team{i}"

    comparison = compared(teams, repositories)

    assert (comparison.graded, comparison.students, comparison.has_teams) == (40, 20, True)
    assert [one.students for one in comparison.found] == [("a00 + b00", "a01 + b01")]


def test_a_team_with_two_works_is_no_pair():
    """An extension may lead to another version of one of them; they share a repository nevertheless."""
    same = {"p": 7, "q": 17, "r": 23, "s": 31}
    reports = {"ada": report_with(*wrong_answers(**same)), "bob": report_with(*wrong_answers(**same, t=5))}
    assert compared({**reports, **others(38)}, dict.fromkeys(reports, "org/team")).found == []


@pytest.mark.parametrize("count", [12, 25, 40])
def test_one_common_rule_and_the_same_odd_answers(count):
    """7, 17 and 23 in one check are three agreements; the wrong rule, which everybody has, is none."""
    rule = check("add", "Sums.", rules=[ASSIGNED])
    odd = report_with(rule, *wrong_answers(p=7, q=17, r=23))
    reports = {f"s{i}": report_with(rule, *wrong_answers(p=i * 10, q=i * 20)) for i in range(count - 2)}

    (one,) = compared({"ada": odd, "bob": odd, **reports}).found

    assert (one.students, one.agree) == (("ada", "bob"), 3)


def test_two_odd_answers_are_too_few():
    """One wrong idea leads to two wrong values more often than a class shows."""
    odd = report_with(*wrong_answers(p=7, q=17))
    assert compared({"ada": odd, "bob": odd, **others(998)}).found == []


def test_a_known_wrong_value_is_not_odd():
    """The author expects it of more than one student: 3 such answers in 40 are no reason to look."""
    known = [
        check(name, "Q.", facts=[AnswerFact(name, str(value), (f"{name}: {value}",)).fact()])
        for name, value in {"p": 7, "q": 17, "r": 23}.items()
    ]
    assert compared({"ada": report_with(*known), "bob": report_with(*known), **others(38)}).found == []


def test_the_odd_entries_of_an_answer_are_one_fault(snapshot):
    """One slip on the way back spoils all gradients before it, so a dictionary agrees once."""
    entries = ("a = 7", "b = 17")
    report = report_with(
        *(check(name, "Q.", facts=[AnswerFact(name, odd=entries).fact()]) for name in ("p", "q", "r"))
    )

    (one,) = compared({"ada": report, "bob": report, **others(38)}).found

    assert one.agree == 3
    assert [shared.words for shared in one.shared] == snapshot


def honest_class(seed, size):
    """The weak err more often, with common and rare answers, as they come or by an idea about two questions."""
    rng, faults, handed = random.Random(seed), {}, []
    for i in range(size):
        weak, keys = rng.random() ** 2, set()
        chosen = {
            f"q{q}": rng.choices(range(14), [1 / (1 + k) for k in range(14)])[0]
            for q in range(10)
            if rng.random() < weak
        }
        if rng.random() < weak:
            idea = rng.randrange(20)
            chosen |= {f"q{idea % 10}": f"idea {idea}", f"q{(idea + 3) % 10}": f"idea {idea}"}
        rules = [(f"rule {op}", "=") for op in "+*" if rng.random() < weak / 4]
        for question, value in [*chosen.items(), *rules]:
            same = "=" if value == "=" else question
            odd = question if value not in {"=", 0, 1, 2} else ""
            fault = Fault(f"{question}: {value}", "", frozenset({question, same}), odd)
            keys.add(faults.setdefault(fault.key, fault).key)
        handed.append(Handed((f"s{i}",), frozenset(keys)))
    return handed, faults


@pytest.mark.parametrize("size", [20, 40, 200])
@pytest.mark.parametrize("seed", range(5))
def test_nobody_is_listed_in_an_honest_class(seed, size):
    """Weak students share rare errors, too."""
    comparison = compare(*honest_class(seed, size))

    assert comparison.students > size / 2
    assert comparison.found == []


@pytest.mark.parametrize("size", [40, 200])
@pytest.mark.parametrize("seed", range(5))
def test_a_copy_in_an_honest_class_is_listed(seed, size):
    """It has all the rare errors of one student."""
    handed, faults = honest_class(seed, size)
    common = Counter(key for one in handed for key in one.faults)
    donor = max(handed, key=lambda one: sum(common[key] < 5 for key in one.faults))

    comparison = compare([*handed, Handed(("copy",), donor.faults)], faults)

    (one,) = comparison.found
    assert one.students == tuple(sorted(("copy", donor.name)))
    assert comparison.expected(one) < MOST_EXPECTED


# --- The command


@pytest.fixture
def root(tmp_path):
    """A course and its class: ada and bob agree on what is rare, everybody on what is common; `students` has the files."""
    assignment = course(tmp_path / "course")
    root = assignment.course.root
    put(root, "assignments/mini/checks/stub.ipynb", STUB)
    rare = [
        check("mul", "Products.", rules=[SWAPPED, OTHER]),
        check("order", "The order.", walk=WALK),
        *wrong_answers(q=77, r="'B'"),
    ]
    common = check("box", "A box.", mistakes=[KnownMistake("box_forgets", "The box forgets its number.")])
    with Store(root / "results.db", create=True) as store:
        for student, text in {"ada": ADA, "bob": BOB}.items():
            keep(store, student, report_with(common, *rare), text)
            put(tmp_path, f"students/{student}.py", text)
        for i in range(38):
            keep(store, f"s{i:02}", report_with(common, *wrong_answers(mine=i * 1000)), "x")
        keep(store, "zoe", report_with(), "y")
    return root


def keep(store, student, report, text, repository=""):
    """Keep a report of the file with this text."""
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    report.submission = replace(report.submission, sha256=sha256)
    store.keep(sha256, by(student, HandedIn("mini.py", repository=repository)), report, again=True)


def copies(root, *words):
    """Run the command."""
    return grade("copies", "mini", *words, cwd=root)


def test_the_list_in_a_terminal(root):
    """Who agrees on what, how many have it, the odds, and that it proves nothing."""
    same_as_snapshot("copies", copies(root).out)


def test_the_results_file_knows_the_teams(root, snapshot):
    """Two students whose work was collected from one repository are not listed."""
    with Store(root / "results.db") as store:
        kept = {result.student: result.report for result in store.results("mini")}
        for student in ("ada", "bob"):
            keep(store, student, kept[student], ADA, repository="org/team")
    assert copies(root).out == snapshot


def test_a_class_without_agreements(root, snapshot):
    """One sentence, and no caution about what is not there."""
    with Store(root / "few.db", create=True) as store:
        keep(store, "ada", report_with(*wrong_answers(p=1)), ADA)
    ran = copies(root, "--results", "few.db")
    assert ran.code == 0
    assert ran.out == snapshot


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--html", "x.html"], "mini-works: no work is here; run `grade collect mini` first"),
        (["--export", "x"], "mini-works: no work is here; run `grade collect mini` first"),
        (["--base", "x.py"], "--base names files for the exported folder; add --export DIR"),
        (["../students", "--html", "x.html", "--export", "x"], "use one of them at a time"),
        (["../nowhere", "--html", "x.html"], "there is no such folder or archive"),
        (["../students", "--export", "x", "--base", "x.py"], "there is no such file"),
        (["--results", "other.db"], "there is no such results file"),
    ],
)
def test_wrong_usage_is_one_line(root, words, why):
    """What is wrong, and what to do."""
    ran = copies(root, *words)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert why in ran.err


# --- The page


class Reader(HTMLParser):
    """The text of each element with a class, and all elements."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.rows, self.text = [], [], ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "tr":
            self.rows.append("")

    def handle_data(self, data):
        self.text += data
        if self.rows:
            self.rows[-1] += data.strip("\n") + "|" * (data != "\n")


def page_of(root, *words):
    """Write the page, and return it."""
    ran = copies(root, "../students", "--html", "page.html", *words)
    assert ran.code == 0, ran.err
    return (root / "page.html").read_text(encoding="utf-8")


def test_both_sources_side_by_side(root, snapshot):
    """Equal lines, different lines and their places; the list stays in the terminal."""
    page = Reader(page_of(root))
    assert "ada and bob" in page.text
    assert "1 in 10,000,000 pairs" in page.text
    assert page.rows[-2:] == snapshot


def test_cells_as_they_were_handed_out_are_left_out(root):
    """A changed cell shows whole, its given lines in grey; an untouched one would only be noise."""
    for student in ("ada", "bob"):
        put(root.parent, f"students/{student}.py", f"# %%\nimport math\n\n{ADA}")
    with Store(root / "results.db") as store:
        report = report_with(check("mul", "P.", rules=[SWAPPED]), check("order", "O.", walk=WALK))
        report.checks += wrong_answers(q=77, r="'B'")
        for student in ("ada", "bob"):
            keep(store, student, report, f"# %%\nimport math\n\n{ADA}")
    page = page_of(root)
    assert "import math" not in page
    assert '<td class="g"><code>def double(x):</code></td>' in page
    assert "<td><code>    return twice</code></td>" in page


def test_a_file_that_was_not_graded_is_not_shown(root):
    """Its lines would not be those that the report speaks of."""
    put(root.parent, "students/bob.py", "# changed since\n")
    text = Reader(page_of(root)).text
    assert "the work of bob is not the file that was graded" in text
    assert "changed since" not in text


def test_the_work_in_time_is_shown_where_it_was_graded(root, tmp_path, monkeypatch):
    """A source may hold late work beside it, which the report does not speak of."""
    late = Work("mini.py", data=BOB.encode(), in_time=Work("mini.py", data=ADA.encode()))
    monkeypatch.setattr(sources, "find_works", lambda *_: [Found("ada", lambda: late)])
    found = sources.Sources(Course(root).assignment("mini"), tmp_path)
    lines = found.lines("ada", hashlib.sha256(ADA.encode()).hexdigest())
    assert [line.text for line in lines][-1] == "    return twice"


def test_the_page_allows_nothing_but_its_own_style(root):
    """No script, no address, no attribute that runs."""
    page = page_of(root)
    (allowed,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'", allowed
    )
    reader = Reader(page)
    assert {tag for tag, _ in reader.tags}.isdisjoint({"script", "img", "iframe", "link", "form"})
    assert {attributes["href"] for tag, attributes in reader.tags if tag == "a"} == {"#pair-1"}


HOSTILE_PAIRS = [
    dict(list(HOSTILE.items())[start::8]) for start in range(8)
]  # one for each run of the command


@pytest.mark.parametrize("texts", HOSTILE_PAIRS, ids=range(8))
def test_a_hostile_source_is_text(root, texts):
    """In a cell, in an answer and in a rule: on the page and in the terminal. Each text is of two students."""
    for file in (root.parent / "students").iterdir():
        file.unlink()
    with Store(root / "results.db") as store:
        for student in ("ada", "bob"):
            keep(store, student, report_with(), "x")
        for number, given in enumerate(texts.values()):
            text = given.encode(errors="replace").decode().replace("\r", "\n")[:5000]
            source = notebook("def double(x):\n    return x", text)
            rule = WrongRule("*", "self", f"x = {number}", text, MUL)
            own = {name: f"{name} {number}" for name in "rst"}
            rare = [check("mul", "P.", rules=[rule]), *wrong_answers(q=text, **own)]
            for student in (f"ada{number}", f"bob{number}"):
                put(root.parent, f"students/{student}.ipynb", source)
                keep(store, student, report_with(*rare), source)

    ran = copies(root, "../students", "--html", "page.html")

    assert (ran.code, obeyed(ran.out)) == (0, [])
    page = (root / "page.html").read_text(encoding="utf-8")
    assert page.count('id="pair-') == len(texts)
    assert obeyed(page) == []
    allowed = "html head meta title style body main h1 h2 p nav ol li a section table caption thead tbody tr th td code span"
    reader = Reader(page)
    assert {tag for tag, _ in reader.tags} <= set(allowed.split())
    names = {name for _, attributes in reader.tags for name in attributes}
    assert names <= set(
        "lang charset http-equiv content name class href id scope aria-label aria-labelledby aria-hidden".split()
    )


def test_a_long_source_is_cut(root):
    """A page stays readable, and comparing takes no minutes."""
    long = "".join(f"x{i} = {i % 7}\n" for i in range(5000))
    with Store(root / "results.db") as store:
        report = report_with(*wrong_answers(p=1, q=2, r=3, s=4))
        for student in ("ada", "bob"):
            put(root.parent, f"students/{student}.py", long)
            keep(store, student, report, long)
    text = Reader(page_of(root)).text
    assert "4400 more lines and 4400 more lines are left out." in text


# --- The folder for other tools


def exported(root, *words):
    """Export the class; return each file's text by its place."""
    ran = copies(root, "../students", "--export", "../code", *words)
    assert ran.code == 0, ran.err
    folder = root.parent / "code"
    files = [path for path in folder.rglob("*") if path.is_file()]
    return ran, {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


def test_a_folder_for_other_tools(root, snapshot):
    """One file a student with the cells joined, the template as base, and the table that Dolos reads."""
    put(
        root.parent,
        "students/cy.ipynb",
        notebook("%matplotlib inline\nimport math", "def double(x): return 2", ""),
    )
    ran, files = exported(root)
    assert sorted(files) == [
        "README.md",
        "base/base.py",
        "info.csv",
        "students/ada/work.py",
        "students/bob/work.py",
        "students/cy/work.py",
    ]
    assert files["students/cy/work.py"] == snapshot
    assert "raise NotImplementedError('write double')" in files["base/base.py"]
    assert list(csv.reader(files["info.csv"].splitlines())) == [
        ["filename", "full_name", "created_at"],
        *([f"students/{name}/work.py", name, ""] for name in ("ada", "bob", "cy")),
    ]
    assert ran.out.startswith("3 students")
    for text in files.values():
        if text.startswith("# cell"):
            compile(text, "work.py", "exec")


def test_the_readme_has_a_line_for_each_tool(root, snapshot):
    """By the options that each of them documents, on folders that are there."""
    _, files = exported(root)
    lines = [line.strip() for line in files["README.md"].splitlines() if line.startswith("    ")]
    assert lines == snapshot
    same_as_snapshot("copies-readme.md", files["README.md"])


def test_files_of_the_lecture_do_not_count(root):
    """They are added to the base, as notebooks or as .py files."""
    put(root, "lecture.ipynb", notebook("def shown(): return 'in class'"))
    put(root, "more.py", "also = 1\n")
    _, files = exported(root, "--base", "lecture.ipynb", "--base", "more.py")
    assert "in class" in files["base/base.py"]
    assert "also = 1" in files["base/base.py"]


def test_who_is_left_out_is_named(root):
    """Who handed in nothing of their own, and whose file cannot be read; the others are written."""
    put(root.parent, "students/cy.ipynb", STUB)
    put(root.parent, "students/dan.ipynb", "{")
    ran, files = exported(root)
    assert {name for name in files if name.startswith("students/")} == {
        "students/ada/work.py",
        "students/bob/work.py",
    }
    assert "cy is left out: " in ran.err
    assert "dan is left out: " in ran.err


def test_nothing_is_overwritten(root):
    """A folder with files, a file, a link and a folder among the students are refused."""
    put(root, "full/x", "mine")
    (root / "link").symlink_to(root / "full")
    for where, why in [
        ("full", "there already"),
        ("link", "there already"),
        ("full/x", "there already"),
        ("../students/code", "another"),
    ]:
        ran = copies(root, "../students", "--export", where)
        assert (ran.code, why in ran.err) == (2, True), ran.err
    assert [path.name for path in (root / "full").iterdir()] == ["x"]
    assert not (root.parent / "students/code").exists()


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "con", ".git", "-rf", "x\ny"])
def test_a_hostile_name_makes_no_path(root, tmp_path, monkeypatch, name):
    """A source that names a student so is read by its own rules first; this is the second lock."""
    works = [Found(name, lambda: Work("mini.py", data=ADA.encode(), student=name))]
    works.append(Found("ada", lambda: Work("mini.py", data=ADA.encode(), student="ada")))
    monkeypatch.setattr(export, "find_works", lambda *_: works)
    export.export(Course(root).assignment("mini"), tmp_path / "students", tmp_path / "a/b/code", ())
    written = sorted(str(path.relative_to(tmp_path / "a")) for path in (tmp_path / "a").rglob("work.py"))
    assert written == ["b/code/students/ada/work.py"]
