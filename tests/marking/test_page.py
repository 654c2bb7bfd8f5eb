"""The page in a browser, on the command's own server: keys, hostile answers, a cell that is run again, two at once."""

import asyncio

import pytest
from markingcourse import cell, essay, hand_in, marking, marking_course, notebook

from grader.gradebook.in_force import Overrides
from grader.gradebook.store import Store

pytestmark = pytest.mark.ci
HOSTILE = (
    "<script>window.taken = 1</script><img src=x onerror='window.taken = 1'>\n\n[a](javascript:window.taken=1) "
    "![p](http://192.0.2.1/p.png) </main></script>"
)
PRINTS = "print('\\x1b[31m<b>red</b>')\ndouble(4)"


@pytest.fixture
def tab(browser):
    """A function that opens the address; no page asks for anything elsewhere, and none logs an error."""
    asyncio._set_running_loop(browser._loop)
    context, faults = browser.new_context(viewport={"width": 1280, "height": 900}), []

    def open_tab(address):
        page = context.new_page()
        host = address.partition("?")[0]
        page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "request",
            lambda asked: (
                None if asked.url.startswith(host) or asked.url == "data:," else faults.append(asked.url)
            ),
        )
        page.goto(address)
        return page

    yield open_tab
    context.close()
    asyncio._set_running_loop(None)
    assert [fault for fault in faults if "409 (Conflict)" not in fault] == []


def group_of(page, text):
    page.get_by_role("link", name=text, exact=True).click()
    page.wait_for_selector("#mark")
    page.wait_for_load_state()  # the script is there


def after(page, *keys):
    """Press keys, of which the last leads to another page."""
    before = page.url
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_url(lambda url: url != before)
    page.wait_for_load_state()


def test_answers_with_two_keys_each(tab, tmp_path):
    """An item of the rubric and Enter; or `s`, the mark of a nearly equal answer, and Enter."""
    assignment = marking_course(tmp_path / "course")
    hand_in(
        assignment, {f"s{n}": essay(f"{'word ' * n}The number is doubled: double({n}).") for n in range(12)}
    )
    with marking(assignment.course.root, "mini") as address:
        page = tab(address)
        assert "token" not in page.url
        after(page, "Enter")
        for place in range(12):
            assert page.inner_text("header").count(f"{place} of 12") == 1
            after(page, "s" if page.query_selector("#same") else "1", "Enter")
        assert page.get_by_text("12 of 12 answers marked").is_visible()
    with Store(assignment.course.root / "results.db") as store:
        assert [one.points for one in store.overrides("mini")] == [3.0] * 12


def test_hostile_answers_and_a_cell_that_is_run_again(tab, tmp_path):
    """Nothing of a student's runs in the page; what the cell prints in the jail is text. Paper has no buttons."""
    assignment = marking_course(tmp_path / "course")
    double = cell("def double(x):\n    return x + x", kind="code")
    works = {"ada": notebook(cell(HOSTILE, "essay")), "bob": notebook(double, cell(PRINTS, "essay", "code"))}
    hand_in(assignment, works)
    with marking(assignment.course.root, "mini", "--allow-weak-isolation") as address:
        page = tab(address)
        group_of(page, "ada")
        assert page.evaluate("[window.taken, document.cookie]") == [None, ""]
        assert page.get_by_text("<script>window.taken").is_visible()
        page.goto(address)
        group_of(page, "bob")
        page.keyboard.press("r")
        page.wait_for_selector(".again figure")
        assert page.inner_text(".again") == "run again in the jail\n<b>red</b>\n8"
        page.emulate_media(media="print")
        assert page.locator("button, kbd").filter(visible=True).count() == 0


def test_a_letter_in_the_field_of_points_is_a_key(tab, tmp_path):
    """Without a rubric a figure goes into the field, so that a second one may follow; `c` then is the comment."""
    assignment = marking_course(tmp_path / "course")
    works = {name: notebook(cell("draw()", "plot", "code")) for name in ("ada", "bob")}
    hand_in(assignment, works, ("plot",))
    with marking(assignment.course.root, "mini") as address:
        page = tab(address)
        after(page, "Enter")
        page.keyboard.press("4")
        page.keyboard.press("c")
        page.keyboard.type("A title, please.")
        after(page, "Enter")  # both are one group
    with Store(assignment.course.root / "results.db") as store:
        assert Overrides.of(store.overrides("mini")).points["ada", "plot"].points == 4


def test_two_browsers_at_once(tab, tmp_path):
    """The second one learns that somebody was faster, and loses nothing that it typed."""
    assignment = marking_course(tmp_path / "course")
    hand_in(assignment, {"ada": essay("Doubled."), "bob": essay("Other words.")})
    with marking(assignment.course.root, "mini") as address:
        one, other = tab(address), tab(address)
        for page in (one, other):
            group_of(page, "ada")
        after(one, "1", "Enter")
        other.keyboard.press("0")
        other.keyboard.press("c")
        other.keyboard.type("Why 3 of 4?")
        other.keyboard.press("Enter")
        other.wait_for_selector("#said:not(:empty)")
        assert (
            "Mary Keller <mary@example.org> changed this in the meantime, so nothing was saved"
            in other.inner_text("#said")
        )
        assert other.input_value("#comment") == "Why 3 of 4?"
    with Store(assignment.course.root / "results.db") as store:
        assert Overrides.of(store.overrides("mini")).points["ada", "essay"].points == 3
