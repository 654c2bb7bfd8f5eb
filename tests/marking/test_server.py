"""Who may ask the page for anything, and what a browser gets: the guards of `grade mark`."""

import asyncio
import base64
import io
import json
import re
import struct
import zlib

import httpx
import pytest
from markingcourse import cell, essay, hand_in, marking, marking_course, notebook
from PIL import Image

from grader.marking.answers import MOST_PIXELS, CellOutput, redrawn
from grader.marking.server import LARGEST, MarkingPages

HOST = "127.0.0.1:4711"


class Browser:
    """Asks the application as a browser on this machine does; `cookie` is that of the page."""

    def __init__(self, pages):
        self.pages, self.app = pages, pages.app()

    def ask(self, method, path, *, cookie=True, host=HOST, headers=None, **more):
        async def send():
            sent = {"host": host, **(headers or {})}
            if cookie:
                sent["cookie"] = f"{self.pages.cookie}={self.pages.token if cookie is True else cookie}"
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(self.app), base_url=f"http://{HOST}"
            ) as client:
                return await client.request(method, f"{self.pages.path}{path}", headers=sent, **more)

        return asyncio.run(send())

    def post(self, path, body, *, headers=None, **more):
        sent = {"origin": f"http://{HOST}", "content-type": "application/json"} | (headers or {})
        return self.ask("POST", path, headers=sent, content=json.dumps(body), **more)


@pytest.fixture
def page(opened):
    """The pages of a class; a cell that is run again prints its number."""
    here = opened()
    here.browser = Browser(
        MarkingPages(here.desk, lambda answer, number: [CellOutput(f"\x1b[31mran {number}\x1b[0m")], HOST)
    )
    here.groups = here.desk.groups()
    return here


def new_mark(page, row=0, **more):
    key = page.groups[row].key
    return {"group": key, "seen": page.desk.page(key)["data"]["seen"], "points": "3", **more}


def test_the_token_becomes_a_cookie_at_once(page):
    """Which no script reads and no other site sends; the address is then clean."""
    browser = page.browser
    answer = browser.ask("GET", f"?token={browser.pages.token}", cookie=False)
    assert (answer.status_code, answer.headers["location"]) == (303, browser.pages.path)
    kept = answer.headers["set-cookie"]
    assert "HttpOnly" in kept
    assert "SameSite=strict" in kept
    assert f"Path={browser.pages.path}" in kept  # or it would go to each server on 127.0.0.1
    assert browser.ask("GET", "?token=guess", cookie=False).status_code == 403
    address = f"?token={browser.pages.token}"
    assert browser.ask("GET", address, cookie=False, host="evil.example:4711").status_code == 421
    assert browser.ask("POST", f"mark{address}", cookie=False).status_code == 403


@pytest.mark.parametrize("path", ["", "marks.js", "marks.css", "picture?name=x", "?group=x"])
def test_nothing_without_the_cookie_or_by_another_name(page, path):
    """A page whose name leads to 127.0.0.1 has another Host (DNS rebinding)."""
    assert page.browser.ask("GET", path, cookie=False).status_code == 403
    assert page.browser.ask("GET", path, cookie="guess").status_code == 403
    for host in ("evil.example:4711", "localhost:4711", "127.0.0.1"):
        assert page.browser.ask("GET", path, host=host).status_code == 421
    assert page.browser.ask("GET", path, headers={"sec-fetch-site": "same-site"}).status_code == 403


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:1"}, 403),
        ({"origin": "null"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"sec-fetch-site": "cross-site"}, 403),
    ],
)
def test_no_other_page_changes_anything(page, headers, code):
    """Nor does a form, which cannot send JSON."""
    assert page.browser.post("mark", new_mark(page), headers=headers).status_code == code
    assert page.browser.post("mark", new_mark(page), cookie=False).status_code == 403
    assert page.store.overrides("mini") == []


def test_a_mark_is_saved_and_the_next_group_comes(page):
    """And a stale page gets 409 with the reason."""
    sent = new_mark(page)
    answer = page.browser.post("mark", sent)
    assert answer.json() == {"group": page.groups[1].key}
    assert len(page.store.overrides("mini")) == 2
    again = page.browser.post("mark", sent)
    assert (again.status_code, "changed this in the meantime" in again.json()["error"]) == (409, True)


def test_a_results_file_that_cannot_be_read_is_named(page):
    """The list would lead to itself for ever; the page of a group leads to the list."""
    with page.store.transaction():
        page.store._database.execute("DROP TABLE overrides")
    answer = page.browser.ask("GET", "")
    assert (answer.status_code, "restore an earlier copy" in answer.json()["error"]) == (409, True)
    answer = page.browser.ask("GET", f"?group={page.groups[0].key}")
    assert (answer.status_code, answer.headers["location"]) == (303, page.browser.pages.path)


def test_after_the_last_mark_the_list_names_the_next_command(page):
    """It shows the grades before they are posted."""
    assert "grade post" not in page.browser.ask("GET", "").text
    for row in range(len(page.groups)):
        page.browser.post("mark", new_mark(page, row))
    assert "<pre>grade post mini --dry-run" in page.browser.ask("GET", "").text


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"group": 1}', b"\xff", b'"' + b"x" * LARGEST + b'"'])
def test_a_body_of_another_form(page, body):
    """Nothing is done."""
    headers = {"origin": f"http://{HOST}", "content-type": "application/json"}
    assert page.browser.ask("POST", "mark", headers=headers, content=body).status_code == 409


def test_a_page_may_run_and_fetch_our_files_alone(page):
    """Whatever a student wrote."""
    for path in ("", f"?group={page.groups[0].key}", "marks.js", "picture?name=none"):
        headers = page.browser.ask("GET", path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        )
        assert "frame-ancestors 'none'" in policy
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")


def test_a_cell_that_is_run_again_sends_no_commands_of_a_terminal(page):
    """What it prints is text."""
    answer = page.browser.post("run", {"group": page.groups[0].key, "cell": 2})
    assert answer.json() == [{"text": "ran 2", "picture": ""}]


# --- Pictures


def png(width, height, rows=b"", *chunks):
    """A PNG of this size, with these chunks."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = [(b"IHDR", header), *chunks, (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    made = (struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d)) for n, d in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(made)


SMALL = png(2, 2, b"\0\xff\xff" * 2, (b"tEXt", b"Author\0Ada"))


def jpeg(scans: int) -> bytes:
    """A JPEG whose last scan comes so many times: each is a pass over all pixels."""
    written = io.BytesIO()
    Image.new("L", (8, 8)).save(written, "JPEG", progressive=True)
    head, mark, last = written.getvalue()[:-2].rpartition(b"\xff\xda")
    return head + (mark + last) * scans + b"\xff\xd9"


def test_a_picture_is_drawn_anew_without_metadata():
    """The bytes are ours."""
    assert b"Ada" in SMALL
    made = redrawn(SMALL)
    assert made.startswith(b"\x89PNG")
    assert b"Ada" not in made


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>",
        b"GIF89a\1\0\1\0\0\0\0;",
        png(MOST_PIXELS, 2, b"\0" * 100),
        png(2**31 - 1, 2**31 - 1),
        png(2, 2, b"\0\xff\xff" * 2, (b"zTXt", b"a\0\0" + zlib.compress(b"x" * (80 << 20)))),
        png(100, 100, b"\0"),
        b"\x89PNG\r\n\x1a\n" + b"x" * (9 << 20),
        jpeg(scans=200),
    ],
    ids="empty svg gif pixels more-pixels text-bomb short large scans".split(),
)
def test_what_is_no_picture_or_too_large_a_one_is_not_drawn(data):
    """Bombs are refused by what they say of themselves, before they are unpacked."""
    assert redrawn(data) is None


def test_pictures_are_found_by_name_and_html_is_never_shown(opened):
    """Of the notebook's outputs PNG and JPEG alone."""
    data = {
        "image/png": base64.b64encode(SMALL).decode(),
        "text/html": "<script>alert(1)</script>",
        "image/svg+xml": "<svg onload='alert(1)'/>",
    }
    outputs = [
        {"output_type": "display_data", "data": data, "metadata": {}},
        {"output_type": "display_data", "data": {"text/html": "<b>only</b>"}, "metadata": {}},
        {"output_type": "stream", "name": "stdout", "text": ["\x1b[31m<i>red</i>\x1b[0m\n"]},
    ]
    here = opened({"ada": notebook(cell("draw()", "plot", "code", outputs=outputs))}, checks=("plot",))
    browser = Browser(MarkingPages(here.desk, lambda *_: [], HOST))
    shown = browser.ask("GET", f"?group={here.desk.groups()[0].key}").text
    assert "alert(1)" not in shown
    assert "only" not in shown
    assert "&lt;i&gt;red&lt;/i&gt;" in shown
    (name,) = here.desk.pictures
    assert f"picture?name={name}" in shown
    picture = browser.ask("GET", f"picture?name={name}")
    assert (picture.headers["content-type"], picture.content[:4]) == ("image/png", b"\x89PNG")
    assert browser.ask("GET", "picture?name=../../etc/passwd").status_code == 404


@pytest.mark.ci
def test_the_command_shows_a_share_without_names(tmp_path):
    """Each answer is in one of two shares, and no page has a student's name."""
    works = {
        name: essay(f"I am {name}, and double {i}.") for i, name in enumerate(["ada", "bob", "cyd", "dan"])
    }
    assignment = marking_course(tmp_path / "course")
    folder = hand_in(assignment, works)
    pages = []
    for share in ("1/2", "2/2"):
        options = ["--share", share, "--anonymous", "--source", str(folder)]
        with marking(assignment.course.root, "mini", *options) as address:
            pages.append(httpx.get(address, follow_redirects=True).text)
    shown = [re.findall(r">(student \d)<", page) for page in pages]
    assert sorted(shown[0] + shown[1]) == [f"student {number}" for number in range(1, 5)]
    assert f"0 of {len(shown[0])} answer" in pages[0]
    assert not [name for name in works if name in pages[0] + pages[1]]
