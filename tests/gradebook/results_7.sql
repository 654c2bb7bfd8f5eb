PRAGMA application_id = 1111970372;
PRAGMA user_version = 7;
BEGIN TRANSACTION;
CREATE TABLE absent (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    kind TEXT NOT NULL,       -- of the state: missing, unreached, no_access, ...
    state TEXT NOT NULL,      -- JSON, with the fields of that kind
    at TEXT NOT NULL,         -- UTC
    PRIMARY KEY (assignment, student)
) STRICT, WITHOUT ROWID;
INSERT INTO "absent" VALUES('mini','fay','no_access','{"kind":"no_access","login":"fay-gh","repository":"org/fay"}','2025-11-29T22:15:33+00:00');
CREATE TABLE answers (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    repository INTEGER NOT NULL,  -- GitHub's number of it, which a new name does not change
    seen TEXT NOT NULL,           -- UTC, of the newest push that is known
    done TEXT NOT NULL,           -- UTC, of the last push that was handled
    commit_id TEXT NOT NULL,      -- answered last, or waiting until `again`
    day TEXT NOT NULL,            -- UTC, of the last answer
    count INTEGER NOT NULL,       -- answers of that day
    again TEXT NOT NULL,          -- UTC, when the commit is looked at again; empty: it was answered
    PRIMARY KEY (assignment, student)
) STRICT, WITHOUT ROWID;
INSERT INTO "answers" VALUES('mini','ada',5,'2025-12-01T12:00:00+00:00','2025-12-01T12:00:00+00:00','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','2025-12-01',1,'2025-12-01T12:00:00+00:00');
CREATE TABLE handed_out (
    assignment TEXT NOT NULL,
    code TEXT NOT NULL,       -- the hash of the code of a notebook that students got
    PRIMARY KEY (assignment, code)
) STRICT, WITHOUT ROWID;
INSERT INTO "handed_out" VALUES('mini','code');
CREATE TABLE identity (id TEXT NOT NULL) STRICT;
INSERT INTO "identity" VALUES('01ea9efbcafab5b6');
CREATE TABLE listings (
    assignment TEXT NOT NULL,
    organisation TEXT NOT NULL,
    etag TEXT NOT NULL,           -- of the first page, the newest push first
    newest TEXT NOT NULL,         -- UTC, of the newest push in it
    PRIMARY KEY (assignment, organisation)
) STRICT, WITHOUT ROWID;
INSERT INTO "listings" VALUES('mini','org','etag','2025-12-01T12:00:00+00:00');
CREATE TABLE overrides (
    id INTEGER PRIMARY KEY,
    assignment TEXT NOT NULL,
    kind TEXT NOT NULL,
    student TEXT NOT NULL,    -- empty: everybody
    check_id TEXT NOT NULL,   -- empty: the whole assignment
    points REAL,
    withdrawn INTEGER NOT NULL,
    why TEXT NOT NULL,
    who TEXT NOT NULL,
    at TEXT NOT NULL          -- UTC
) STRICT;
INSERT INTO "overrides" VALUES(1,'mini','points','ada','box',5.0,0,'half of it','Grace <grace@uni.edu>','2025-11-29T22:15:33+00:00');
INSERT INTO "overrides" VALUES(2,'mini','comment','bob','box',NULL,0,'a good start','Grace','2025-11-29T22:15:33+00:00');
INSERT INTO "overrides" VALUES(3,'mini','void','','double',NULL,0,'the check was wrong','Grace','2025-11-29T22:15:33+00:00');
INSERT INTO "overrides" VALUES(4,'mini','void','','double',NULL,1,'it was right','Grace','2025-11-29T22:15:33+00:00');
INSERT INTO "overrides" VALUES(5,'mini','excuse','cy','',NULL,0,'ill','Grace','2025-11-29T22:15:33+00:00');
CREATE TABLE posted (
    assignment TEXT NOT NULL, -- or `DAY, to post`: texts before they are sent; `DAY, files`: those of --to DIR, by hash
    student TEXT NOT NULL,
    place TEXT NOT NULL,      -- the location of the text, as the poster defines it
    sha256 TEXT NOT NULL,     -- of the text
    record TEXT NOT NULL,     -- JSON, the grade that was posted
    at TEXT NOT NULL,         -- UTC
    PRIMARY KEY (assignment, student)
) STRICT, WITHOUT ROWID;
INSERT INTO "posted" VALUES('mini','ada','org/ada#1','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','{"key":"14b329b43800645d1471b02f647abe905075e184d96f23454e93e42f388910fc","score":15.0,"max_score":20.0,"before_penalty":15.0,"checks":{"double":10.0,"box":5.0},"changed":[{"check":"box","was":10.0,"now":5.0,"override":{"assignment":"mini","kind":"points","why":"half of it","who":"Grace <grace@uni.edu>","student":"ada","check":"box","points":5.0,"withdrawn":false,"at":"2025-11-29T22:15:33+00:00"},"most":null}],"late":{"due":"2025-12-01T23:59:00Z","submitted":"2025-12-01T10:00:00Z","verified":true,"days":0,"extended":"","is_extended":false},"excused":null,"work":{"name":"mini.py","submitted":"2025-12-01T10:00:00+00:00","verified":true,"repository":"org/ada","commit":"cccccccccccccccccccccccccccccccccccccccc","notes":[],"student":"ada","state":{"kind":"handed_in"},"later":null,"not_taken":[]},"provisional":true,"final_from":null,"late_from":"2025-12-01T23:59:00Z","other":null,"comments":[],"waiting":{},"unwritten":{}}','2025-11-29T22:15:33+00:00');
INSERT INTO "posted" VALUES('mini','bo','org/bo#1','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','{"key":"14b329b43800645d1471b02f647abe905075e184d96f23454e93e42f388910fc","score":16.0,"max_score":20.0,"before_penalty":20.0,"checks":{"double":10.0,"box":10.0},"changed":[],"late":{"due":"2025-12-01T23:59:00Z","submitted":"2025-12-03T10:00:00Z","verified":true,"days":2,"extended":"","is_extended":false},"excused":null,"work":{"name":"mini.py","submitted":"2025-12-03T10:00:00+00:00","verified":true,"repository":"org/bo","commit":"cccccccccccccccccccccccccccccccccccccccc","notes":["test_box.py: edited"],"student":"bo","state":{"kind":"handed_in"},"later":{"time":"2025-12-09T10:00:00+00:00","until":"2025-12-08T12:00:00+00:00","commit":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"},"not_taken":[{"by":"bob","time":"2025-12-01T12:00:00+00:00"}]},"provisional":true,"final_from":null,"late_from":"2025-12-01T23:59:00Z","other":{"score":10.0,"late":{"due":"2025-12-01T23:59:00Z","submitted":"2025-12-01T10:00:00Z","verified":true,"days":0,"extended":"","is_extended":false}},"comments":[],"waiting":{},"unwritten":{}}','2025-11-29T22:15:33+00:00');
INSERT INTO "posted" VALUES('mini','bob','org/bob#1','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','{"key":"3eafb2edec0bbb1f768e9b8de2ab8e719531d0ea0c93dd04c6b76ca2ea511851","score":6.0,"max_score":20.0,"before_penalty":10.0,"checks":{"double":10.0,"box":0.0},"changed":[],"late":{"due":"2025-12-01T23:59:00Z","submitted":"2025-12-03T10:00:00Z","verified":true,"days":2,"extended":"","is_extended":false},"excused":null,"work":{"name":"mini.py","submitted":"2025-12-03T10:00:00+00:00","verified":true,"repository":"org/bob","commit":"cccccccccccccccccccccccccccccccccccccccc","notes":[],"student":"bob","state":{"kind":"handed_in"},"later":null,"not_taken":[]},"provisional":true,"final_from":null,"late_from":"2025-12-01T23:59:00Z","other":null,"comments":[{"assignment":"mini","kind":"comment","why":"a good start","who":"Grace","student":"bob","check":"box","points":null,"withdrawn":false,"at":"2025-11-29T22:15:33+00:00"}],"waiting":{},"unwritten":{}}','2025-11-29T22:15:33+00:00');
INSERT INTO "posted" VALUES('mini','cy','org/cy#1','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','{"key":"ead465ddf29672e3ac46cec217e938ae97e4a5e84ff5aa3423d179651ba0900f","score":null,"max_score":20.0,"before_penalty":null,"checks":{"double":0.0,"box":0.0},"changed":[],"late":{"due":"2025-12-01T23:59:00Z","submitted":"2025-12-01T10:00:00Z","verified":true,"days":0,"extended":"","is_extended":false},"excused":{"assignment":"mini","kind":"excuse","why":"ill","who":"Grace","student":"cy","check":"","points":null,"withdrawn":false,"at":"2025-11-29T22:15:33+00:00"},"work":{"name":"mini.py","submitted":"2025-12-01T10:00:00+00:00","verified":true,"repository":"org/cy","commit":"cccccccccccccccccccccccccccccccccccccccc","notes":[],"student":"cy","state":{"kind":"handed_in"},"later":null,"not_taken":[]},"provisional":true,"final_from":null,"late_from":"2025-12-01T23:59:00Z","other":null,"comments":[],"waiting":{},"unwritten":{}}','2025-11-29T22:15:33+00:00');
INSERT INTO "posted" VALUES('mini, files','bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbba','feedback/mini-ada.md','bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbba','{}','2025-11-29T22:15:33+00:00');
INSERT INTO "posted" VALUES('mini, files','bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','feedback/mini-bob.md','bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','{}','2025-11-29T22:15:33+00:00');
INSERT INTO "posted" VALUES('mini, files','bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbc','feedback/mini-cy.md','bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbc','{}','2025-11-29T22:15:33+00:00');
INSERT INTO "posted" VALUES('mini, to post','ada','','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','{"key":"14b329b43800645d1471b02f647abe905075e184d96f23454e93e42f388910fc","score":15.0,"max_score":20.0,"before_penalty":15.0,"checks":{"double":10.0,"box":5.0},"changed":[{"check":"box","was":10.0,"now":5.0,"override":{"assignment":"mini","kind":"points","why":"half of it","who":"Grace <grace@uni.edu>","student":"ada","check":"box","points":5.0,"withdrawn":false,"at":"2025-11-29T22:15:33+00:00"},"most":null}],"late":{"due":"2025-12-01T23:59:00Z","submitted":"2025-12-01T10:00:00Z","verified":true,"days":0,"extended":"","is_extended":false},"excused":null,"work":{"name":"mini.py","submitted":"2025-12-01T10:00:00+00:00","verified":true,"repository":"org/ada","commit":"cccccccccccccccccccccccccccccccccccccccc","notes":[],"student":"ada","state":{"kind":"handed_in"},"later":null,"not_taken":[]},"provisional":true,"final_from":null,"late_from":"2025-12-01T23:59:00Z","other":null,"comments":[],"waiting":{},"unwritten":{}}','2025-11-29T22:15:33+00:00');
INSERT INTO "posted" VALUES('mini, to post','bo','','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','{"key":"14b329b43800645d1471b02f647abe905075e184d96f23454e93e42f388910fc","score":16.0,"max_score":20.0,"before_penalty":20.0,"checks":{"double":10.0,"box":10.0},"changed":[],"late":{"due":"2025-12-01T23:59:00Z","submitted":"2025-12-03T10:00:00Z","verified":true,"days":2,"extended":"","is_extended":false},"excused":null,"work":{"name":"mini.py","submitted":"2025-12-03T10:00:00+00:00","verified":true,"repository":"org/bo","commit":"cccccccccccccccccccccccccccccccccccccccc","notes":["test_box.py: edited"],"student":"bo","state":{"kind":"handed_in"},"later":{"time":"2025-12-09T10:00:00+00:00","until":"2025-12-08T12:00:00+00:00","commit":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"},"not_taken":[{"by":"bob","time":"2025-12-01T12:00:00+00:00"}]},"provisional":true,"final_from":null,"late_from":"2025-12-01T23:59:00Z","other":{"score":10.0,"late":{"due":"2025-12-01T23:59:00Z","submitted":"2025-12-01T10:00:00Z","verified":true,"days":0,"extended":"","is_extended":false}},"comments":[],"waiting":{},"unwritten":{}}','2025-11-29T22:15:33+00:00');
INSERT INTO "posted" VALUES('mini, to post','bob','','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','{"key":"3eafb2edec0bbb1f768e9b8de2ab8e719531d0ea0c93dd04c6b76ca2ea511851","score":6.0,"max_score":20.0,"before_penalty":10.0,"checks":{"double":10.0,"box":0.0},"changed":[],"late":{"due":"2025-12-01T23:59:00Z","submitted":"2025-12-03T10:00:00Z","verified":true,"days":2,"extended":"","is_extended":false},"excused":null,"work":{"name":"mini.py","submitted":"2025-12-03T10:00:00+00:00","verified":true,"repository":"org/bob","commit":"cccccccccccccccccccccccccccccccccccccccc","notes":[],"student":"bob","state":{"kind":"handed_in"},"later":null,"not_taken":[]},"provisional":true,"final_from":null,"late_from":"2025-12-01T23:59:00Z","other":null,"comments":[{"assignment":"mini","kind":"comment","why":"a good start","who":"Grace","student":"bob","check":"box","points":null,"withdrawn":false,"at":"2025-11-29T22:15:33+00:00"}],"waiting":{},"unwritten":{}}','2025-11-29T22:15:33+00:00');
INSERT INTO "posted" VALUES('mini, to post','cy','','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','{"key":"ead465ddf29672e3ac46cec217e938ae97e4a5e84ff5aa3423d179651ba0900f","score":null,"max_score":20.0,"before_penalty":null,"checks":{"double":0.0,"box":0.0},"changed":[],"late":{"due":"2025-12-01T23:59:00Z","submitted":"2025-12-01T10:00:00Z","verified":true,"days":0,"extended":"","is_extended":false},"excused":{"assignment":"mini","kind":"excuse","why":"ill","who":"Grace","student":"cy","check":"","points":null,"withdrawn":false,"at":"2025-11-29T22:15:33+00:00"},"work":{"name":"mini.py","submitted":"2025-12-01T10:00:00+00:00","verified":true,"repository":"org/cy","commit":"cccccccccccccccccccccccccccccccccccccccc","notes":[],"student":"cy","state":{"kind":"handed_in"},"later":null,"not_taken":[]},"provisional":true,"final_from":null,"late_from":"2025-12-01T23:59:00Z","other":null,"comments":[],"waiting":{},"unwritten":{}}','2025-11-29T22:15:33+00:00');
CREATE TABLE results (
    id INTEGER PRIMARY KEY,
    run INTEGER REFERENCES runs (id),
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    key TEXT NOT NULL,        -- of submission, suite, grader and limits
    score REAL,               -- NULL: the grader could not tell
    max_score REAL NOT NULL,
    outcome TEXT NOT NULL,
    graded TEXT NOT NULL,     -- UTC
    report TEXT NOT NULL
) STRICT;
INSERT INTO "results" VALUES(1,1,'mini','ada','14b329b43800645d1471b02f647abe905075e184d96f23454e93e42f388910fc',20.0,20.0,'passed','2025-11-29T22:15:33+00:00','{
  "schema": "backgrade/report/v1",
  "assignment": {
    "id": "mini",
    "title": "Doubling"
  },
  "submission": {
    "path": "mini.py",
    "sha256": "ed16365dff1c3b07c38692566349ce1f29bb20ef4c9fda09a92e1fe173b5589a",
    "modified": "2025-12-01T10:00:00+00:00",
    "argument": ""
  },
  "grader": {
    "version": "0.1.0",
    "suite_sha256": "8a80596db1e45244e5e5bcf87dde2701b9cf7e34206c9acf69efe4323031a41e",
    "python": "3.11.7",
    "isolation": [
      "rlimits",
      "landlock",
      "seccomp",
      "privileges"
    ]
  },
  "started": "2025-11-29T22:15:30+00:00",
  "seconds": 0.178,
  "score": 20.0,
  "max_score": 20.0,
  "outcome": "passed",
  "hidden_checks": true,
  "checks": [
    {
      "id": "double",
      "title": "Doubling: twice the number.",
      "outcome": "passed",
      "score": 10.0,
      "max_score": 10.0,
      "visibility": "both",
      "message": "",
      "asked": "",
      "see": "",
      "where": null,
      "frames": [],
      "readings": [],
      "rules": [],
      "walk": null,
      "mistakes": [],
      "why": [],
      "chart": null,
      "trace": null,
      "facts": [],
      "seconds": 0.005
    },
    {
      "id": "box",
      "title": "A box grows: it keeps twice its number.",
      "outcome": "passed",
      "score": 10.0,
      "max_score": 10.0,
      "visibility": "both",
      "message": "",
      "asked": "",
      "see": "",
      "where": null,
      "frames": [],
      "readings": [],
      "rules": [],
      "walk": null,
      "mistakes": [],
      "why": [],
      "chart": null,
      "trace": null,
      "facts": [],
      "seconds": 0.006
    }
  ],
  "notes": [],
  "advisory": false,
  "reference": ""
}
');
INSERT INTO "results" VALUES(2,1,'mini','bob','3eafb2edec0bbb1f768e9b8de2ab8e719531d0ea0c93dd04c6b76ca2ea511851',10.0,20.0,'failed','2025-11-29T22:15:33+00:00','{
  "schema": "backgrade/report/v1",
  "assignment": {
    "id": "mini",
    "title": "Doubling"
  },
  "submission": {
    "path": "mini.py",
    "sha256": "2aa49011bca269e58d86be1a337559451758977b5ce05aa6496c150c05c81c7c",
    "modified": "2025-12-03T10:00:00+00:00",
    "argument": ""
  },
  "grader": {
    "version": "0.1.0",
    "suite_sha256": "8a80596db1e45244e5e5bcf87dde2701b9cf7e34206c9acf69efe4323031a41e",
    "python": "3.11.7",
    "isolation": [
      "rlimits",
      "landlock",
      "seccomp",
      "privileges"
    ]
  },
  "started": "2025-11-29T22:15:31+00:00",
  "seconds": 0.076,
  "score": 10.0,
  "max_score": 20.0,
  "outcome": "failed",
  "hidden_checks": true,
  "checks": [
    {
      "id": "double",
      "title": "Doubling: twice the number.",
      "outcome": "passed",
      "score": 10.0,
      "max_score": 10.0,
      "visibility": "both",
      "message": "",
      "asked": "",
      "see": "",
      "where": null,
      "frames": [],
      "readings": [],
      "rules": [],
      "walk": null,
      "mistakes": [],
      "why": [],
      "chart": null,
      "trace": null,
      "facts": [],
      "seconds": 0.004
    },
    {
      "id": "box",
      "title": "A box grows: it keeps twice its number.",
      "outcome": "failed",
      "score": 0.0,
      "max_score": 10.0,
      "visibility": "both",
      "message": "",
      "asked": "A box of 2.5 holds 5 when it has grown.",
      "see": "",
      "where": {
        "file": "mini.py",
        "cell": null,
        "line": 9,
        "text": "def grow(self):",
        "inside": "Box.grow",
        "section": ""
      },
      "frames": [],
      "readings": [
        {
          "label": "Box(2.5).number",
          "given": "",
          "actual": "2.5",
          "expected": "5"
        }
      ],
      "rules": [],
      "walk": null,
      "mistakes": [],
      "why": [],
      "chart": null,
      "trace": null,
      "facts": [],
      "seconds": 0.009
    }
  ],
  "notes": [],
  "advisory": false,
  "reference": ""
}
');
INSERT INTO "results" VALUES(3,1,'mini','cy','ead465ddf29672e3ac46cec217e938ae97e4a5e84ff5aa3423d179651ba0900f',0.0,20.0,'failed','2025-11-29T22:15:33+00:00','{
  "schema": "backgrade/report/v1",
  "assignment": {
    "id": "mini",
    "title": "Doubling"
  },
  "submission": {
    "path": "mini.py",
    "sha256": "caaa7c44b672424fb2fc980020caa8bac77f7113a7ce990c59443507de0e5fbe",
    "modified": "2025-12-01T10:00:00+00:00",
    "argument": ""
  },
  "grader": {
    "version": "0.1.0",
    "suite_sha256": "8a80596db1e45244e5e5bcf87dde2701b9cf7e34206c9acf69efe4323031a41e",
    "python": "3.11.7",
    "isolation": [
      "rlimits",
      "landlock",
      "seccomp",
      "privileges"
    ]
  },
  "started": "2025-11-29T22:15:31+00:00",
  "seconds": 0.065,
  "score": 0.0,
  "max_score": 20.0,
  "outcome": "failed",
  "hidden_checks": true,
  "checks": [
    {
      "id": "double",
      "title": "Doubling: twice the number.",
      "outcome": "failed",
      "score": 0.0,
      "max_score": 10.0,
      "visibility": "both",
      "message": "",
      "asked": "Twice 3 is 6.",
      "see": "",
      "where": {
        "file": "mini.py",
        "cell": null,
        "line": 1,
        "text": "def double(x):",
        "inside": "double",
        "section": ""
      },
      "frames": [],
      "readings": [
        {
          "label": "double(3)",
          "given": "",
          "actual": "9",
          "expected": "6"
        }
      ],
      "rules": [],
      "walk": null,
      "mistakes": [],
      "why": [],
      "chart": null,
      "trace": null,
      "facts": [],
      "seconds": 0.002
    },
    {
      "id": "box",
      "title": "A box grows: it keeps twice its number.",
      "outcome": "blocked",
      "score": 0.0,
      "max_score": 10.0,
      "visibility": "both",
      "message": "waits for double",
      "asked": "",
      "see": "",
      "where": null,
      "frames": [],
      "readings": [],
      "rules": [],
      "walk": null,
      "mistakes": [],
      "why": [],
      "chart": null,
      "trace": null,
      "facts": [],
      "seconds": 0.005
    }
  ],
  "notes": [],
  "advisory": false,
  "reference": ""
}
');
INSERT INTO "results" VALUES(4,1,'mini','bo','14b329b43800645d1471b02f647abe905075e184d96f23454e93e42f388910fc',20.0,20.0,'passed','2025-11-29T22:15:33+00:00','{
  "schema": "backgrade/report/v1",
  "assignment": {
    "id": "mini",
    "title": "Doubling"
  },
  "submission": {
    "path": "mini.py",
    "sha256": "ed16365dff1c3b07c38692566349ce1f29bb20ef4c9fda09a92e1fe173b5589a",
    "modified": "2025-12-03T10:00:00+00:00",
    "argument": ""
  },
  "grader": {
    "version": "0.1.0",
    "suite_sha256": "8a80596db1e45244e5e5bcf87dde2701b9cf7e34206c9acf69efe4323031a41e",
    "python": "3.11.7",
    "isolation": [
      "rlimits",
      "landlock",
      "seccomp",
      "privileges"
    ]
  },
  "started": "2025-11-29T22:15:31+00:00",
  "seconds": 0.051,
  "score": 20.0,
  "max_score": 20.0,
  "outcome": "passed",
  "hidden_checks": true,
  "checks": [
    {
      "id": "double",
      "title": "Doubling: twice the number.",
      "outcome": "passed",
      "score": 10.0,
      "max_score": 10.0,
      "visibility": "both",
      "message": "",
      "asked": "",
      "see": "",
      "where": null,
      "frames": [],
      "readings": [],
      "rules": [],
      "walk": null,
      "mistakes": [],
      "why": [],
      "chart": null,
      "trace": null,
      "facts": [],
      "seconds": 0.001
    },
    {
      "id": "box",
      "title": "A box grows: it keeps twice its number.",
      "outcome": "passed",
      "score": 10.0,
      "max_score": 10.0,
      "visibility": "both",
      "message": "",
      "asked": "",
      "see": "",
      "where": null,
      "frames": [],
      "readings": [],
      "rules": [],
      "walk": null,
      "mistakes": [],
      "why": [],
      "chart": null,
      "trace": null,
      "facts": [],
      "seconds": 0.01
    }
  ],
  "notes": [],
  "advisory": false,
  "reference": ""
}
');
INSERT INTO "results" VALUES(5,1,'mini','bo','3eafb2edec0bbb1f768e9b8de2ab8e719531d0ea0c93dd04c6b76ca2ea511851',10.0,20.0,'failed','2025-11-29T22:15:33+00:00','{
  "schema": "backgrade/report/v1",
  "assignment": {
    "id": "mini",
    "title": "Doubling"
  },
  "submission": {
    "path": "mini.py",
    "sha256": "2aa49011bca269e58d86be1a337559451758977b5ce05aa6496c150c05c81c7c",
    "modified": "2025-12-01T10:00:00+00:00",
    "argument": ""
  },
  "grader": {
    "version": "0.1.0",
    "suite_sha256": "8a80596db1e45244e5e5bcf87dde2701b9cf7e34206c9acf69efe4323031a41e",
    "python": "3.11.7",
    "isolation": [
      "rlimits",
      "landlock",
      "seccomp",
      "privileges"
    ]
  },
  "started": "2025-11-29T22:15:31+00:00",
  "seconds": 0.06,
  "score": 10.0,
  "max_score": 20.0,
  "outcome": "failed",
  "hidden_checks": true,
  "checks": [
    {
      "id": "double",
      "title": "Doubling: twice the number.",
      "outcome": "passed",
      "score": 10.0,
      "max_score": 10.0,
      "visibility": "both",
      "message": "",
      "asked": "",
      "see": "",
      "where": null,
      "frames": [],
      "readings": [],
      "rules": [],
      "walk": null,
      "mistakes": [],
      "why": [],
      "chart": null,
      "trace": null,
      "facts": [],
      "seconds": 0.005
    },
    {
      "id": "box",
      "title": "A box grows: it keeps twice its number.",
      "outcome": "failed",
      "score": 0.0,
      "max_score": 10.0,
      "visibility": "both",
      "message": "",
      "asked": "A box of 2.5 holds 5 when it has grown.",
      "see": "",
      "where": {
        "file": "mini.py",
        "cell": null,
        "line": 9,
        "text": "def grow(self):",
        "inside": "Box.grow",
        "section": ""
      },
      "frames": [],
      "readings": [
        {
          "label": "Box(2.5).number",
          "given": "",
          "actual": "2.5",
          "expected": "5"
        }
      ],
      "rules": [],
      "walk": null,
      "mistakes": [],
      "why": [],
      "chart": null,
      "trace": null,
      "facts": [],
      "seconds": 0.006
    }
  ],
  "notes": [],
  "advisory": false,
  "reference": ""
}
');
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    assignment TEXT NOT NULL,
    command TEXT NOT NULL,    -- batch or answer
    started TEXT NOT NULL,    -- UTC
    ended TEXT NOT NULL,      -- UTC; empty if it was killed or is running
    suite TEXT NOT NULL,      -- the hash of everything that graded
    works INTEGER NOT NULL    -- the gradings that it kept
) STRICT;
INSERT INTO "runs" VALUES(1,'mini','batch','2025-11-29T22:15:33+00:00','2025-11-29T22:15:33+00:00','suite',5);
CREATE TABLE submissions (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    version TEXT NOT NULL,    -- 'last', or 'in_time' beside late work
    result INTEGER NOT NULL REFERENCES results (id),
    name TEXT NOT NULL,
    submitted TEXT NOT NULL,  -- UTC; empty if unknown
    verified INTEGER NOT NULL,
    repository TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    notes TEXT NOT NULL,      -- JSON, a list of texts
    kind TEXT NOT NULL,       -- of the state: handed_in, untouched, no_file, ...
    state TEXT NOT NULL,      -- JSON, with the fields of that kind
    later TEXT NOT NULL,      -- JSON, a push that came too late to count; empty if there is none
    not_taken TEXT NOT NULL,  -- JSON, a list of pushes of others that changed the work
    PRIMARY KEY (assignment, student, version)
) STRICT, WITHOUT ROWID;
INSERT INTO "submissions" VALUES('mini','ada','last',1,'mini.py','2025-12-01T10:00:00+00:00',1,'org/ada','cccccccccccccccccccccccccccccccccccccccc','[]','handed_in','{"kind":"handed_in"}','','[]');
INSERT INTO "submissions" VALUES('mini','bo','in_time',5,'mini.py','2025-12-01T10:00:00+00:00',1,'org/bo','cccccccccccccccccccccccccccccccccccccccc','["test_box.py: edited"]','handed_in','{"kind":"handed_in"}','{"time":"2025-12-09T10:00:00+00:00","until":"2025-12-08T12:00:00+00:00","commit":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}','[{"by":"bob","time":"2025-12-01T12:00:00+00:00"}]');
INSERT INTO "submissions" VALUES('mini','bo','last',4,'mini.py','2025-12-03T10:00:00+00:00',1,'org/bo','cccccccccccccccccccccccccccccccccccccccc','["test_box.py: edited"]','handed_in','{"kind":"handed_in"}','{"time":"2025-12-09T10:00:00+00:00","until":"2025-12-08T12:00:00+00:00","commit":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}','[{"by":"bob","time":"2025-12-01T12:00:00+00:00"}]');
INSERT INTO "submissions" VALUES('mini','bob','last',2,'mini.py','2025-12-03T10:00:00+00:00',1,'org/bob','cccccccccccccccccccccccccccccccccccccccc','[]','handed_in','{"kind":"handed_in"}','','[]');
INSERT INTO "submissions" VALUES('mini','cy','last',3,'mini.py','2025-12-01T10:00:00+00:00',1,'org/cy','cccccccccccccccccccccccccccccccccccccccc','[]','handed_in','{"kind":"handed_in"}','','[]');
CREATE INDEX results_of ON results (assignment, student);
CREATE INDEX results_in ON results (run);
CREATE VIEW counting AS
    SELECT s.*, r.run, r.key, r.score, r.max_score, r.outcome, r.graded, r.report
    FROM submissions s JOIN results r ON r.id = s.result;
COMMIT;
