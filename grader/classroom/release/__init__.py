"""`grade release`: make a template for students, or the files for a platform, from the course.

    release.py          the command: verify, ask, write, push; refuse files that are not for students
    plan.py             the changes that a release makes in a folder, and its list of files there
    contents.py         the files of a template, and the requirements and the wheel for pip
    protected.py        the files that students should not change: their hashes, and a student's changes
    push.py             commit and push with git
    platforms.py        Classroom 50's bundle, Gradescope's zip
    autograder.py       the script of the bundle, copied into it
    template/           the texts of a template, workflows, and the scripts of the zip

Only Gradescope's zip holds files from `solutions/`.
"""
