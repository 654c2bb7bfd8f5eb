"""A class on GitHub: release a template, distribute it, collect work, post grades, grade in CI.

    commands.py           the commands, parsed and called
    release/              `grade release`: a template repository, and the files of two platforms
    ci/                   `grade ci`: grading in a job of GitHub Actions
    classroom50.py        grading in Classroom 50's runner
    gradescope.py         grading in Gradescope's container

`grade distribute` hands a template out to a class:

    distribute.py   look, ask, make, invite
    naming.py       how a student's repository is called; `grade collect` asks it too
    fix.py          what the template has changed since, as a pull request
    gitdata.py      what lies in a repository on GitHub

`grade collect` fetches the work of a class:

    collect.py      who, from where, until when; what is said
    collection.py   a folder of collected work, which can be gone on with
    activity.py     which push to GitHub counts
    remote.py       addresses, and fetching without a checkout
    objects.py      what a repository holds, by hashes
    take.py         the submission among a commit's files
    drift.py        protected files that differ from what was handed out

and git.py starts git, for it and for release/push.py.
"""
