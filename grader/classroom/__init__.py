"""A class on GitHub: the template repository, the CI command, what a student's repository is told.

`grade release` writes what an instructor pushes:

    release.py      look, ask, write into a folder, push, say
    contents.py     every file of a template, by its place in it
    workflow.py     the one of them that runs `grade ci`
    requirement.py  what is installed: a line for pip, or a wheel
    wheel.py        the wheel of the running Backgrade
    push.py         git
    bundle.py       Classroom 50's bundle instead; its `autograder.py` is a copy of ours

`grade ci` grades in a job of GitHub Actions:

    ci.py           grade once, tell it everywhere
    actions.py      annotations, summary and outputs of a step
    github.py       the one comment
    api.py          GitHub's REST API, for this and for a class
    lines.py        which line of an .ipynb file is line n of cell m

`grade distribute` hands a template out to a class:

    distribute.py   look, ask, make, invite
    released.py     the template, and whether a repository was made from it
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

and git.py starts git, for it and for push.py.

`gradescope.py` writes Gradescope's zip, and grades in its container.
`classroom50.py` grades in Classroom 50's runner; `autograder.py` installs Backgrade there and starts it.
"""
