"""The client of GitHub's REST API: over real HTTP, with a server that holds to GitHub's contract."""

import gzip
import sys
import time
import tracemalloc
import types
import zlib
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from github_server import Fault, GitHub

from grader.classroom.github.api import Api, api_from
from grader.classroom.github.failures import GitHubUnavailable, RequestFailed

COMMENTS = "/repos/course/alice/issues/1/comments"
LIMIT = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


class Comment(msgspec.Struct):
    id: int
    body: str


@pytest.fixture
def github() -> Iterator[GitHub]:
    with GitHub() as server:
        server.repository("course/alice").pull(1)
        yield server


@pytest.fixture
def api(github: GitHub) -> Iterator[Api]:
    """An instructor's, for whom waiting takes no time and is remembered."""
    with opened(github) as made:
        yield made


def opened(github: GitHub, **more: Any) -> Api:
    """A client that has an hour of patience and keeps its waits in `waits`."""
    waits: list[float] = []
    token = github.token("teacher", write=["pull_requests", "contents"])
    made = Api(token, **{"url": github.url, "patience": 3600, "sleep": waits.append} | more)
    made.waits = waits  # type: ignore[attr-defined]
    return made


def comments(github: GitHub) -> list[str]:
    return [comment.body for comment in github.repositories["course/alice"].comments[1]]


def test_one_request(github, api):
    """A request sends JSON, and its answer is decoded to a type."""
    made = api.ask("POST", COMMENTS, Comment, body="Hello")
    assert made == Comment(made.id, "Hello")
    assert comments(github) == ["Hello"]


def test_an_answer_without_a_body(api, github, monkeypatch):
    """204 has none, and is not a torn answer."""
    monkeypatch.setattr(GitHub, "answer", lambda *_: (204, None, {}))
    assert bytes(api.ask("PUT", "/repos/course/alice/collaborators/ada", msgspec.Raw)) == b"null"


def test_all_pages(github, api):
    """A list is read to its end; every page is asked for once."""
    github.per_page = 2
    for number in range(5):
        github.comment(github.repositories["course/alice"].comments[1], "ada", str(number))
    assert [c.body for c in api.pages(COMMENTS, Comment, {})] == ["0", "1", "2", "3", "4"]
    assert len(github.asked) == 3


def test_a_list_without_an_end(github, api):
    """It stops somewhere and says so."""
    github.per_page = 1
    for number in range(5):
        github.comment(github.repositories["course/alice"].comments[1], "ada", str(number))
    with pytest.raises(RequestFailed, match="more than 200 entries"):
        list(api.pages(COMMENTS, Comment, {}, most=2))


def test_a_page_that_is_torn(github, api):
    """The page alone is asked for again: nothing is given twice."""
    github.per_page = 1
    for number in range(2):
        github.comment(github.repositories["course/alice"].comments[1], "ada", str(number))
    read = api.pages(COMMENTS, Comment, {})
    first = next(read).body
    github.faults.append(Fault(truncated=True))
    assert [first, *(c.body for c in read)] == ["0", "1"]
    assert api.waits == [1.0]


# --- Limits


def in_a_while(seconds: int) -> dict[str, str]:
    return {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(time.time()) + seconds)}


LIMITS = {
    "retry-after": (lambda: Fault(403, {"Retry-After": "90"}, LIMIT), 90),
    "429 retry-after": (lambda: Fault(429, {"Retry-After": "90"}), 90),
    "503 retry-after": (lambda: Fault(503, {"Retry-After": "90"}), 90),
    "at once": (lambda: Fault(429, {"Retry-After": "0"}), 1),
    "reset": (lambda: Fault(403, in_a_while(900), "API rate limit exceeded"), 900),
    "429 reset": (lambda: Fault(429, in_a_while(900)), 900),
    "reset that has passed": (lambda: Fault(403, in_a_while(-900)), 1),
    "both": (lambda: Fault(403, in_a_while(900) | {"Retry-After": "30"}), 30),
    "secondary without headers": (lambda: Fault(403, {}, LIMIT), 60),
    "secondary of old": (lambda: Fault(403, {}, "You have triggered an abuse detection mechanism."), 60),
    "429 without anything": (lambda: Fault(429), 60),
    "less than nothing": (lambda: Fault(429, {"Retry-After": "-1"}), 60),
    "nonsense": (lambda: Fault(429, {"Retry-After": "soon"}), 60),
}


@pytest.mark.parametrize(("fault", "seconds"), LIMITS.values(), ids=LIMITS)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_limit_is_waited_out(github, api, fault, seconds, method):
    """As long as GitHub asks for; what was refused so was not done, and may be sent again."""
    github.faults.append(fault())
    if method == "POST":
        api.ask("POST", COMMENTS, Comment, body="Hello")
    else:
        assert list(api.pages(COMMENTS, Comment, {})) == []
    assert api.waits == [pytest.approx(seconds, abs=15)]
    assert comments(github) == ["Hello"] * (method == "POST")


def test_a_secondary_limit_that_stays(github, api):
    """Each time longer, as GitHub advises, until the patience is used up."""
    github.faults += [Fault(403, {}, LIMIT)] * 20
    with pytest.raises(GitHubUnavailable, match=r"rate limit is used up \(403\); GitHub asks to wait 32 min"):
        api.ask("GET", COMMENTS, list)
    assert api.waits == [60, 120, 240, 480, 960]


def test_patience_begins_anew(github, api):
    """An hour for each request: a night of limits does not end the command."""
    for _ in range(3):
        github.faults.append(Fault(429, {"Retry-After": "3000"}))
        api.ask("POST", COMMENTS, Comment, body="Hello")
    assert api.waits == [3000] * 3


def test_patience_is_used_up(github):
    """Of a job, which waits 20 seconds."""
    with opened(github, patience=20) as api:
        github.faults += [Fault(429, {"Retry-After": "15"})] * 2
        with pytest.raises(GitHubUnavailable, match=r"\(429\); GitHub asks to wait 15 s"):
            api.ask("GET", COMMENTS, list)
        assert api.waits == [15]


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ("31536000", "8760 h 0 min"),
        ("9" * 30, "9600 h 0 min"),
        ("20000", "5 h 33 min"),
    ],
)
def test_a_wait_without_end(github, api, after, told):
    """Nobody waits for it: one line says how long GitHub asks for."""
    github.faults.append(Fault(429, {"Retry-After": after}))
    with pytest.raises(
        GitHubUnavailable,
        match=rf"asks to wait {told}, and the whole wait would then be too long for this command$",
    ):
        api.ask("GET", COMMENTS, list)
    assert api.waits == []


# --- Answers that are too large


def packed(megabytes: int) -> bytes:
    """So many megabytes of zeros, compressed to a thousandth; nobody comes to the checksum at their end."""
    packing = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    first, *_, last = (packing.compress(bytes(1 << 20)) + packing.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + last * (megabytes - 1) + packing.flush()


def test_a_bomb(github, api):
    """What is sent small and would become large is read as far as an answer may go."""
    github.faults.append(Fault(200, {"Content-Encoding": "gzip"}, body=packed(200)))
    tracemalloc.start()
    try:
        with pytest.raises(RequestFailed, match=r"^GitHub's answer is larger than 32 MB"):
            api.ask("GET", COMMENTS, list)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


def test_a_large_answer(github, api):
    """Not compressed; also where it would be the message of an error."""
    for status in (200, 403, 500):
        github.faults.append(Fault(status, body=bytes(33 << 20)))
        with pytest.raises(RequestFailed, match=r"^GitHub's answer is larger than 32 MB"):
            api.ask("GET", COMMENTS, list)


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "deflate", "x" * 100])
def test_an_encoding_that_was_not_asked_for(github, api, encoding):
    """Twice compressed is a thousand times a thousand."""
    github.faults.append(Fault(200, {"Content-Encoding": encoding}, body=packed(1)))
    with pytest.raises(RequestFailed, match=r"cannot be used \(its encoding is '") as told:
        api.ask("GET", COMMENTS, list)
    assert len(str(told.value)) < 100


def test_a_compressed_answer(github, api):
    """As GitHub sends all of them."""
    github.faults.append(
        Fault(200, {"Content-Encoding": "gzip"}, body=gzip.compress(b'[{"id": 1, "body": "a"}]'))
    )
    assert api.ask("GET", COMMENTS, list[Comment]) == [Comment(1, "a")]


@pytest.mark.parametrize("cut", [1, 20], ids=["its end", "most of it"])
def test_a_compressed_answer_that_is_torn(github, api, cut):
    """It is lost, like any other; the next try has it."""
    whole = gzip.compress(b'[{"id": 1, "body": "a"}]')
    github.faults.append(Fault(200, {"Content-Encoding": "gzip"}, body=whole[:-cut]))
    assert api.ask("GET", COMMENTS, list[Comment]) == []
    assert api.waits == [1.0]


def test_a_long_wait_is_told(github, snapshot):
    """In words of minutes, and that nothing is lost by going away."""
    told: list[str] = []
    with opened(github, waiting=told.append) as api:
        for seconds in (3, 40, 700):
            github.faults.append(Fault(429, {"Retry-After": str(seconds)}))
        api.ask("GET", COMMENTS, list)
    assert told == snapshot


def test_the_clock_of_this_machine_may_be_wrong(github, api, monkeypatch):
    """The time of the reset is GitHub's, and so is the time that it is compared with."""
    github.faults.append(Fault(403, in_a_while(900)))
    wrong = types.SimpleNamespace(time=lambda: 0.0, monotonic=time.monotonic)
    monkeypatch.setattr("grader.classroom.github.api.time", wrong)
    api.ask("GET", COMMENTS, list)
    assert api.waits == [pytest.approx(900, abs=15)]


def test_a_pace_is_kept(github):
    """It applies between two requests that write; reading does not wait."""
    with opened(github, pace=30) as api:
        api.ask("POST", COMMENTS, Comment, body="1")
        api.ask("GET", COMMENTS, list)
        assert api.waits == []
        api.ask("POST", COMMENTS, Comment, body="2")
        assert api.waits == [pytest.approx(30, abs=5)]


# --- When GitHub is not well


MOMENTS = [Fault(500), Fault(502), Fault(truncated=True), Fault(hung_up=True)]


@pytest.mark.parametrize("fault", MOMENTS, ids=["500", "502", "truncated", "hung up"])
def test_a_moments_trouble(github, api, fault):
    """Reading may be repeated."""
    github.faults += [fault, fault]
    assert api.ask("GET", COMMENTS, list) == []
    assert api.waits == [1.0, 2.0]


def test_trouble_that_stays(github):
    """After so many tries nothing else is tried either."""
    with opened(github, tries=5) as api:
        github.faults += [Fault(503)] * 9
        with pytest.raises(GitHubUnavailable, match="GitHub answers 503"):
            api.ask("GET", COMMENTS, list)
        assert api.waits == [1, 2, 4, 8]


LOST = [
    Fault(502, after_work=True),
    Fault(500),
    Fault(truncated=True),
    Fault(hung_up=True),
]


@pytest.mark.parametrize("fault", LOST, ids=["502", "500", "truncated", "hung up"])
def test_what_makes_something_is_not_repeated(github, api, fault):
    """It may have been made, so the caller has to look."""
    github.faults.append(fault)
    with pytest.raises(RequestFailed) as caught:
        api.ask("POST", COMMENTS, Comment, body="Hello")
    assert caught.value.unsure
    assert [asked.method for asked in github.asked] == ["POST"]


@pytest.mark.parametrize("fault", LOST, ids=["502", "500", "truncated", "hung up"])
def test_what_sets_something_is_repeated(github, api, fault):
    """Editing twice is editing once."""
    comment = github.comment(github.repositories["course/alice"].comments[1], "teacher", "Hello")
    github.faults.append(fault)
    path = f"/repos/course/alice/issues/comments/{comment.id}"
    assert api.ask("PATCH", path, Comment, body="Bye").body == "Bye"
    assert api.waits == [1.0]


def test_a_request_that_never_left(github):
    """GitHub did nothing, so even a POST is retried."""
    with GitHub() as gone:
        token = gone.token()
    waits: list[float] = []
    unreachable = pytest.raises(GitHubUnavailable, match=r"GitHub cannot be reached \(ConnectError\)")
    with Api(token, url=gone.url, sleep=waits.append) as api, unreachable:
        api.ask("POST", COMMENTS, Comment, body="Hello")
    assert waits == [1.0, 2.0]


# --- Refusals


def test_each_refusal_has_its_type(github, api, snapshot):
    """Callers can tell what is not there from what is not allowed."""
    with pytest.raises(RequestFailed) as missing:
        api.ask("GET", "/repos/course/bob/pulls", list)
    github.repositories["course/alice"].commit("0" * 40)
    with opened(github) as reader:
        reader._client.headers["Authorization"] = f"Bearer {github.token()}"
        with pytest.raises(RequestFailed) as forbidden:
            reader.ask("POST", COMMENTS, Comment, body="Hello")
    with pytest.raises(RequestFailed, match=r"GitHub rejected the request \(422\)") as strange:
        api.ask("POST", COMMENTS, Comment, text="Hello")
    assert (missing.value.missing, missing.value.status, missing.value.message) == (True, 404, "Not Found")
    assert str(missing.value) == snapshot
    assert forbidden.value.forbidden
    assert api.find("GET", "/repos/course/bob/pulls", list) is None
    assert strange.value.status == 422
    assert strange.value.message == snapshot


def test_githubs_own_words_are_one_line(github, api):
    """They may quote what anybody has chosen, and are kept short."""
    github.faults.append(Fault(422, {}, "Name\r\n::error::already\texists " + "x" * 1000))
    with pytest.raises(RequestFailed) as caught:
        api.ask("POST", COMMENTS, Comment, body="Hello")
    assert caught.value.message.startswith("Name ::error::already exists xxx")
    assert len(caught.value.message) == 200
    assert "error" not in str(caught.value)


@pytest.mark.parametrize("token", ["", " ", "ghs_secret\nX-Evil: 1", "ghs_gehe\u00efm", "two words"])
def test_strange_tokens(github, token):
    """They are never sent, and never quoted."""
    with pytest.raises(
        GitHubUnavailable, match="no token for GitHub; sign in with `gh auth login`"
    ) as caught:
        Api(token, url=github.url)
    assert "secret" not in str(caught.value)


def test_a_token_of_yesterday(github):
    """No other request would succeed with it."""
    with (
        Api("ghs_of_yesterday", url=github.url) as api,
        pytest.raises(GitHubUnavailable, match="not valid") as caught,
    ):
        api.ask("GET", COMMENTS, list)
    assert "yesterday" not in str(caught.value)


def test_from_the_environment(github):
    """GITHUB_TOKEN goes before GH_TOKEN; a line's end is no part of it."""
    token = github.token("teacher")
    for variables in ({"GITHUB_TOKEN": f"{token}\n"}, {"GITHUB_TOKEN": "", "GH_TOKEN": token}):
        with api_from(variables | {"GITHUB_API_URL": github.url}) as api:
            assert api.ask("GET", COMMENTS, list) == []
    with pytest.raises(GitHubUnavailable, match="no token"):
        api_from({})
    with pytest.raises(RequestFailed, match="BACKGRADE_PACE is not a number of seconds"):
        api_from({"GITHUB_TOKEN": token, "BACKGRADE_PACE": "soon"})


def test_without_httpx(github, monkeypatch):
    """It is an extra; what to install is said."""
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(GitHubUnavailable, match=r"pip install 'backgrade.classroom.'`"):
        Api("ghs_secret", url=github.url)


@pytest.mark.parametrize(
    ("variable", "value"),
    [("ALL_PROXY", "socks5://127.0.0.1:1"), ("ALL_PROXY", "http://a:b:c"), ("SSL_CERT_FILE", "/nowhere.pem")],
)
def test_a_machine_whose_network_is_set_up_wrongly(github, monkeypatch, variable, value, snapshot):
    """Faulty settings of httpx in the environment are no traceback."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(GitHubUnavailable) as caught:
        opened(github).ask("GET", COMMENTS, list)
    assert str(caught.value) == snapshot


# --- Redirects


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_renamed_repository(github, api, status, method):
    """GitHub leads to its number; the same request is made there, with its body."""
    number = github.repositories["course/alice"].id
    to = f"{github.url}/repositories/{number}/issues/1/comments"
    github.faults.append(Fault(status, {"Location": to}, "Moved Permanently"))
    api.ask(method, COMMENTS, msgspec.Raw, **({"body": "Hello"} if method == "POST" else {}))
    assert [asked.method for asked in github.asked] == [method, method]
    assert comments(github) == ["Hello"] * (method == "POST")


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_elsewhere(github, api, status):
    """It could lead to anybody, and the token must not go there."""
    with GitHub() as other:
        for place in (f"{other.url}{COMMENTS}", f"//127.0.0.1:{other.url.rpartition(':')[2]}{COMMENTS}"):
            github.faults.append(Fault(status, {"Location": place}))
            with pytest.raises(RequestFailed, match=f"GitHub answers {status}"):
                api.ask("GET", COMMENTS, list)
        assert other.asked == []


@pytest.mark.parametrize("place", ["", "http://[", "http://a:b/", "/\x7f", "//", "repos"])
def test_a_redirect_to_nowhere(github, api, place):
    """A redirect to an invalid address is not followed."""
    github.faults += [Fault(301, {"Location": place})] * 9
    with pytest.raises((RequestFailed, GitHubUnavailable)):
        api.ask("GET", COMMENTS, list)


def test_a_circle(github, api, monkeypatch):
    """Redirects end."""
    places = iter(range(100))
    moved = lambda *_: (301, {}, {"Location": f"{github.url}/{next(places)}"})  # noqa: E731
    monkeypatch.setattr(GitHub, "answer", moved)
    with pytest.raises(RequestFailed, match="redirects too many times"):
        api.ask("GET", COMMENTS, list)


def test_a_link_elsewhere(github, api, monkeypatch):
    """The pages of a list go on at GitHub or nowhere."""
    with GitHub() as other:
        link = f'<{other.url}{COMMENTS}?page=2>; rel="next"'
        monkeypatch.setattr(GitHub, "answer", lambda *_: (200, [], {"Link": link}))
        with pytest.raises(RequestFailed, match="another server"):
            list(api.pages(COMMENTS, Comment, {}))
        assert other.asked == []


@pytest.mark.parametrize("link", ["http://a:b/", "/\x7f", f"/{'a' * 70_000}", "https:///", "//127.0.0.1", ""])
def test_a_link_that_leads_nowhere(github, api, link, monkeypatch):
    """Without a valid address there is no next page."""
    for place in (link, f"{github.url}/:{link}"):
        answer = (200, [], {"Link": f'<{place}>; rel="next"'})
        monkeypatch.setattr(GitHub, "answer", lambda *_, answer=answer: answer)
        with pytest.raises((RequestFailed, GitHubUnavailable)):
            list(api.pages(COMMENTS, Comment, {}))


@pytest.mark.parametrize(
    "url", ["http://example.org", "file:///etc/passwd", "http://127.0.0.1.example.org", ""]
)
def test_an_address_that_is_not_githubs(url):
    """The token goes nowhere in the clear."""
    with pytest.raises(GitHubUnavailable, match="GITHUB_API_URL is not an https address"):
        Api("ghs_secret", url=url)


@pytest.mark.parametrize(
    "address",
    [
        "https://api.github.com.example.org/",
        "https://api.github.com@example.org/",
        "https://ada@api.github.com/",
        "https://api.github.com:444/",
        "http://api.github.com/",
        "https://example.org/api.github.com/",
    ],
)
def test_an_address_that_only_looks_alike(address):
    """The text begins like that of the API, or holds it."""
    with Api("ghs_secret") as api:
        assert api._is_within("https://api.github.com/repositories/1")
        assert not api._is_within(address)


def test_an_api_below_a_path():
    """As GitHub Enterprise Server has it: other paths of that host are not the API."""
    with Api("ghs_secret", url="https://github.example.org/api/v3") as api:
        assert api._is_within("https://github.example.org/api/v3/repositories/1")
        assert not api._is_within("https://github.example.org/api/v34/repositories/1")
        assert not api._is_within("https://github.example.org/ada")


# --- Conditional requests


def test_what_was_read_before_is_read_again_for_nothing(github, api):
    """GitHub answers 304, no limit counts it, and the caller sees the same; a change is seen at once."""
    api.ask("POST", COMMENTS, Comment, body="one")
    first = list(api.pages(COMMENTS, Comment, {}))
    used = github.used
    assert list(api.pages(COMMENTS, Comment, {})) == first
    assert (github.asked[-1].status, github.used) == (304, used)
    api.ask("POST", COMMENTS, Comment, body="two")
    assert [comment.body for comment in api.pages(COMMENTS, Comment, {})] == ["one", "two"]


def test_a_page_that_is_known_from_another_run(github, api):
    """Its ETag is all that has to be kept: None where nothing has changed."""
    api.ask("POST", COMMENTS, Comment, body="one")
    page = api.page(COMMENTS, Comment, {})
    with opened(github) as other:  # an ETag is good for one token
        assert other.page(COMMENTS, Comment, {}, etag=page.etag) is not None
    used = github.used
    assert api.page(COMMENTS, Comment, {}, etag=page.etag) is None
    assert github.used == used
    api.ask("POST", COMMENTS, Comment, body="two")
    assert len(api.page(COMMENTS, Comment, {}, etag=page.etag).items) == 2


def test_a_server_without_etags(github, api, monkeypatch):
    """Every request is answered in full."""
    monkeypatch.setattr(GitHub, "unless_known", lambda self, answer, *_: answer)
    assert api.page(COMMENTS, Comment, {}).etag == ""
    assert api.page(COMMENTS, Comment, {}) is not None
