PRAGMA application_id = 1111970372;
PRAGMA user_version = 11;
BEGIN TRANSACTION;
CREATE TABLE absent (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    kind TEXT NOT NULL,       -- of the state: missing, unreached, no_access, ...
    state TEXT NOT NULL,      -- JSON, with the fields of that kind
    at TEXT NOT NULL,         -- UTC
    PRIMARY KEY (assignment, student)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE files (
    assignment TEXT NOT NULL,
    sha256 TEXT NOT NULL,     -- of the file
    path TEXT NOT NULL,
    at TEXT NOT NULL,         -- UTC
    PRIMARY KEY (assignment, sha256)
) STRICT, WITHOUT ROWID;
INSERT INTO "files" VALUES('mini','028b6dd698bd3835ef3d8ec1fe2718f083f0d781ebb401326ea4ef1c88fedfbe','letters/mini-kim.html','2025-11-30T05:05:45+00:00');
INSERT INTO "files" VALUES('mini','3834bcba2d602e37a11770117e4fba8c5381c3b2da01fc129e2ea6222c250079','letters/mini-kim.md','2025-11-30T05:05:45+00:00');
INSERT INTO "files" VALUES('mini','41722ed78a5a5d241a91c815194438e01549cd2e5b53b196ee7bc92a2a605cc8','letters/mini-ada.html','2025-11-30T05:05:45+00:00');
INSERT INTO "files" VALUES('mini','5ea03257bb2e9f8a96118e87b92e276c5c9617a210b137c3727a6caf3fa13a39','letters/mini-bob.html','2025-11-30T05:05:45+00:00');
INSERT INTO "files" VALUES('mini','f3b3f4892774609eb1f2be1d66291a8d3673ee68880f4a090dd3daa1055be296','letters/mini-ada.md','2025-11-30T05:05:45+00:00');
INSERT INTO "files" VALUES('mini','fa9b1f90ad9e7a31765b420056e8897ad394209d15c47994d3d6f564fe0660b0','letters/mini-bob.md','2025-11-30T05:05:45+00:00');
CREATE TABLE forgotten (
    id TEXT PRIMARY KEY       -- the hash of the file's identity and a student
) STRICT, WITHOUT ROWID;
CREATE TABLE handed_out (
    assignment TEXT NOT NULL,
    code TEXT NOT NULL,       -- the hash of the code of a notebook that students got
    PRIMARY KEY (assignment, code)
) STRICT, WITHOUT ROWID;
INSERT INTO "handed_out" VALUES('mini','8283ec4ab707dbfd7f475b5b0afa2a110ddf1ba72da61a671a3bf0d5940258a5');
CREATE TABLE identity (id TEXT NOT NULL) STRICT;
INSERT INTO "identity" VALUES('acd43b820023e822');
CREATE TABLE listings (
    assignment TEXT NOT NULL,
    organisation TEXT NOT NULL,
    etag TEXT NOT NULL,           -- of the first page, the newest push first
    newest TEXT NOT NULL,         -- UTC, of the newest push in it
    PRIMARY KEY (assignment, organisation)
) STRICT, WITHOUT ROWID;
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
, uid TEXT NOT NULL DEFAULT '', replaces TEXT NOT NULL DEFAULT '', answer TEXT NOT NULL DEFAULT '', items TEXT NOT NULL DEFAULT '[]', until TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "overrides" VALUES(1,'mini','points','ada','essay',4.0,0,'names a number','Seed f226756c maintainers <maintainers@users.noreply.a-seed-f226756c.example>','2025-11-30T05:05:45+00:00','d516a50123c9e81f','','','[]','');
CREATE TABLE pending (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    sha256 TEXT NOT NULL,     -- of the text
    at TEXT NOT NULL,         -- UTC
    PRIMARY KEY (assignment, student)
) STRICT, WITHOUT ROWID;
CREATE TABLE posted (
    assignment TEXT NOT NULL, -- or `DAY, to post`: texts before they are sent; `DAY, files`: those of --to DIR, by hash
    student TEXT NOT NULL,
    place TEXT NOT NULL,      -- the location of the text, as the poster defines it
    sha256 TEXT NOT NULL,     -- of the text
    record TEXT NOT NULL,     -- JSON, the grade that was posted
    at TEXT NOT NULL,         -- UTC
    PRIMARY KEY (assignment, student)
) STRICT, WITHOUT ROWID;
CREATE TABLE posting (
    uid TEXT PRIMARY KEY,
    assignment TEXT NOT NULL,
    holder TEXT NOT NULL,     -- who posts, and on which machine
    began TEXT NOT NULL,      -- UTC
    ended TEXT NOT NULL       -- UTC; empty while it is under way, or if it was killed
) STRICT, WITHOUT ROWID;
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
, uid TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "results" VALUES(1,1,'mini','bob','720657f18b6492a43bcf2ec6026884dec96a34b56cedaf2ca752124ef5744731',7.5,115.0,'failed','2025-11-30T05:05:45+00:00','{
  "schema": "backgrade/report/v1",
  "assignment": {
    "id": "mini",
    "title": "Doubling"
  },
  "submission": {
    "path": "mini.ipynb",
    "sha256": "7c1cf8b4555c02ce12ac160ad8cf1bba18375456cb4ae696196edd0d6acf23e5",
    "modified": "2025-12-02T10:00:00+00:00",
    "argument": ""
  },
  "grader": {
    "version": "0.1.0",
    "suite_sha256": "f4af7f68205839efcbdb5ffb85ebe64785cc485542eb0cb131c4c3c2ac9cefda",
    "python": "3.11.7",
    "isolation": [
      "rlimits",
      "landlock",
      "seccomp",
      "privileges"
    ]
  },
  "started": "2025-11-30T05:05:45+00:00",
  "seconds": 0.097,
  "score": 7.5,
  "max_score": 115.0,
  "outcome": "failed",
  "hidden_checks": true,
  "checks": [
    {
      "id": "double",
      "title": "Doubling: twice the number.",
      "outcome": "failed",
      "score": 0.0,
      "max_score": 60.0,
      "visibility": "both",
      "message": "",
      "asked": "Twice 3 is 6.",
      "see": "",
      "where": {
        "file": "mini.ipynb",
        "cell": 2,
        "line": 1,
        "text": "def double(x):",
        "inside": "double",
        "section": "Doubling"
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
      "mistakes": [
        {
          "id": "double_squares",
          "text": "The number is multiplied by itself. Twice a number is the number added to itself."
        }
      ],
      "why": [],
      "chart": null,
      "trace": null,
      "facts": [
        {
          "kind": "mistake",
          "key": "double_squares",
          "fields": [
            {
              "name": "mistake",
              "value": "double_squares"
            }
          ],
          "where": null,
          "more": []
        }
      ],
      "seconds": 0.001
    },
    {
      "id": "box",
      "title": "A box grows: it keeps twice its number.",
      "outcome": "blocked",
      "score": 0.0,
      "max_score": 40.0,
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
      "seconds": 0.001
    },
    {
      "id": "table",
      "title": "A table is read, and a number worked out on paper.",
      "outcome": "failed",
      "score": 7.5,
      "max_score": 10.0,
      "visibility": "visible",
      "message": "`eight` is 3.75, which is not right.",
      "asked": "The answer `eight`.",
      "see": "",
      "where": {
        "file": "mini.ipynb",
        "cell": 7,
        "line": 3,
        "text": "eight = 3.75",
        "inside": "",
        "section": "Doubling"
      },
      "frames": [],
      "readings": [],
      "rules": [],
      "walk": null,
      "mistakes": [
        {
          "id": "eight: 3.75",
          "text": "`eight`: That is three times the number. Each doubling begins with the result of the one before."
        }
      ],
      "why": [],
      "chart": null,
      "trace": null,
      "facts": [
        {
          "kind": "answer",
          "key": "eight: 3.75",
          "fields": [
            {
              "name": "name",
              "value": "eight"
            },
            {
              "name": "value",
              "value": "3.75"
            },
            {
              "name": "known",
              "value": [
                "eight: 3.75"
              ]
            }
          ],
          "where": null,
          "more": []
        }
      ],
      "seconds": 0.001
    },
    {
      "id": "essay",
      "title": "Why doubling is not squaring",
      "outcome": "manual",
      "score": 0.0,
      "max_score": 5.0,
      "visibility": "visible",
      "message": "Your instructor grades this.",
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
      "seconds": 0.0
    }
  ],
  "notes": [],
  "advisory": false,
  "reference": ""
}
','bbfb906860e2b0c6');
INSERT INTO "results" VALUES(2,1,'mini','kim','24f887720cb2313fe83c9156dab7c3bade3d976abf3599171e8ecc900f752a00',0.0,115.0,'todo','2025-11-30T05:05:45+00:00','{
  "schema": "backgrade/report/v1",
  "assignment": {
    "id": "mini",
    "title": "Doubling"
  },
  "submission": {
    "path": "mini.ipynb",
    "sha256": "6c3aee673339c4999c8b89adf1704ff4b88ada59d1ce684d64c3eb16947ae0e3",
    "modified": "2025-11-30T10:00:00+00:00",
    "argument": ""
  },
  "grader": {
    "version": "0.1.0",
    "suite_sha256": "f4af7f68205839efcbdb5ffb85ebe64785cc485542eb0cb131c4c3c2ac9cefda",
    "python": "3.11.7",
    "isolation": [
      "rlimits",
      "landlock",
      "seccomp",
      "privileges"
    ]
  },
  "started": "2025-11-30T05:05:45+00:00",
  "seconds": 0.012,
  "score": 0.0,
  "max_score": 115.0,
  "outcome": "todo",
  "hidden_checks": true,
  "checks": [
    {
      "id": "double",
      "title": "Doubling: twice the number.",
      "outcome": "todo",
      "score": 0.0,
      "max_score": 60.0,
      "visibility": "both",
      "message": "write double",
      "asked": "",
      "see": "",
      "where": {
        "file": "mini.ipynb",
        "cell": 2,
        "line": 3,
        "text": "raise NotImplementedError(\"write double\")",
        "inside": "double",
        "section": "Doubling"
      },
      "frames": [
        {
          "file": "mini.ipynb",
          "cell": 2,
          "line": 3,
          "text": "raise NotImplementedError(\"write double\")",
          "inside": "double",
          "section": "Doubling"
        }
      ],
      "readings": [],
      "rules": [],
      "walk": null,
      "mistakes": [],
      "why": [],
      "chart": null,
      "trace": null,
      "facts": [],
      "seconds": 0.0
    },
    {
      "id": "box",
      "title": "A box grows: it keeps twice its number.",
      "outcome": "todo",
      "score": 0.0,
      "max_score": 40.0,
      "visibility": "both",
      "message": "make the box grow",
      "asked": "",
      "see": "",
      "where": {
        "file": "mini.ipynb",
        "cell": 3,
        "line": 10,
        "text": "raise NotImplementedError(\"make the box grow\")",
        "inside": "Box.grow",
        "section": "Doubling"
      },
      "frames": [
        {
          "file": "mini.ipynb",
          "cell": 3,
          "line": 10,
          "text": "raise NotImplementedError(\"make the box grow\")",
          "inside": "Box.grow",
          "section": "Doubling"
        }
      ],
      "readings": [],
      "rules": [],
      "walk": null,
      "mistakes": [],
      "why": [],
      "chart": null,
      "trace": null,
      "facts": [],
      "seconds": 0.0
    },
    {
      "id": "table",
      "title": "A table is read, and a number worked out on paper.",
      "outcome": "todo",
      "score": 0.0,
      "max_score": 10.0,
      "visibility": "visible",
      "message": "count the rows",
      "asked": "",
      "see": "",
      "where": {
        "file": "mini.ipynb",
        "cell": 6,
        "line": 3,
        "text": "raise NotImplementedError(\"count the rows\")",
        "inside": "rows",
        "section": "Doubling"
      },
      "frames": [
        {
          "file": "mini.ipynb",
          "cell": 6,
          "line": 3,
          "text": "raise NotImplementedError(\"count the rows\")",
          "inside": "rows",
          "section": "Doubling"
        }
      ],
      "readings": [],
      "rules": [],
      "walk": null,
      "mistakes": [],
      "why": [],
      "chart": null,
      "trace": null,
      "facts": [],
      "seconds": 0.0
    },
    {
      "id": "essay",
      "title": "Why doubling is not squaring",
      "outcome": "todo",
      "score": 0.0,
      "max_score": 5.0,
      "visibility": "visible",
      "message": "You wrote nothing for `essay`: the notebook is as you got it.",
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
      "seconds": 0.0
    }
  ],
  "notes": [],
  "advisory": false,
  "reference": ""
}
','72ac1792ce5e366d');
INSERT INTO "results" VALUES(3,1,'mini','ada','992157bb47b1beeb5329789af6f2b6ba79c9f651cbea1e4a5ac2fcfbf55f272b',110.0,115.0,'passed','2025-11-30T05:05:45+00:00','{
  "schema": "backgrade/report/v1",
  "assignment": {
    "id": "mini",
    "title": "Doubling"
  },
  "submission": {
    "path": "mini.ipynb",
    "sha256": "c3f13421a240bfeacb41b9e285475adcb7eca5154d412bd6bf34af6eec20f988",
    "modified": "2025-11-30T10:00:00+00:00",
    "argument": ""
  },
  "grader": {
    "version": "0.1.0",
    "suite_sha256": "f4af7f68205839efcbdb5ffb85ebe64785cc485542eb0cb131c4c3c2ac9cefda",
    "python": "3.11.7",
    "isolation": [
      "rlimits",
      "landlock",
      "seccomp",
      "privileges"
    ]
  },
  "started": "2025-11-30T05:05:45+00:00",
  "seconds": 0.022,
  "score": 110.0,
  "max_score": 115.0,
  "outcome": "passed",
  "hidden_checks": true,
  "checks": [
    {
      "id": "double",
      "title": "Doubling: twice the number.",
      "outcome": "passed",
      "score": 60.0,
      "max_score": 60.0,
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
      "seconds": 0.0
    },
    {
      "id": "box",
      "title": "A box grows: it keeps twice its number.",
      "outcome": "passed",
      "score": 40.0,
      "max_score": 40.0,
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
      "seconds": 0.0
    },
    {
      "id": "table",
      "title": "A table is read, and a number worked out on paper.",
      "outcome": "passed",
      "score": 10.0,
      "max_score": 10.0,
      "visibility": "visible",
      "message": "",
      "asked": "",
      "see": "",
      "where": null,
      "frames": [],
      "readings": [],
      "rules": [],
      "walk": null,
      "mistakes": [],
      "why": [
        "Three doublings multiply by eight."
      ],
      "chart": null,
      "trace": null,
      "facts": [],
      "seconds": 0.0
    },
    {
      "id": "essay",
      "title": "Why doubling is not squaring",
      "outcome": "manual",
      "score": 0.0,
      "max_score": 5.0,
      "visibility": "visible",
      "message": "Your instructor grades this.",
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
      "seconds": 0.0
    }
  ],
  "notes": [],
  "advisory": false,
  "reference": ""
}
','5695f3b31dce3383');
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    assignment TEXT NOT NULL,
    command TEXT NOT NULL,    -- batch or answer
    started TEXT NOT NULL,    -- UTC
    ended TEXT NOT NULL,      -- UTC; empty if it was killed or is running
    suite TEXT NOT NULL,      -- the hash of everything that graded
    works INTEGER NOT NULL    -- the gradings that it kept
, uid TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "runs" VALUES(1,'mini','batch','2025-11-30T05:05:45+00:00','2025-11-30T05:05:45+00:00','f4af7f68205839efcbdb5ffb85ebe64785cc485542eb0cb131c4c3c2ac9cefda',3,'3bc60a2b6a0e5af8');
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
INSERT INTO "submissions" VALUES('mini','ada','last',3,'mini.ipynb','2025-11-30T10:00:00+00:00',1,'','','[]','handed_in','{"kind":"handed_in"}','','[]');
INSERT INTO "submissions" VALUES('mini','bob','last',1,'mini.ipynb','2025-12-02T10:00:00+00:00',1,'','','[]','handed_in','{"kind":"handed_in"}','','[]');
INSERT INTO "submissions" VALUES('mini','kim','last',2,'mini.ipynb','2025-11-30T10:00:00+00:00',1,'','','[]','untouched','{"kind":"untouched"}','','[]');
CREATE INDEX results_of ON results (assignment, student);
CREATE INDEX results_in ON results (run);
CREATE VIEW counting AS
    SELECT s.*, r.run, r.key, r.score, r.max_score, r.outcome, r.graded, r.report
    FROM submissions s JOIN results r ON r.id = s.result;
COMMIT;
