"""`grade release`: what an instructor gives students or a platform, made from the course.

    release.py          the command: check, ask, write, push; files in the course's folder that are not for students
    plan.py             what a release changes in a folder, and the record that it leaves there
    contents.py         every file of a template, by its name in it, with what pip installs
    protected.py        those that students should leave as they are: their record, and what a student changed
    push.py             git: commit and push a template
    platforms.py        Classroom 50's bundle, Gradescope's zip
    autograder.py       the script of the bundle, copied into it
    template/           the texts of a template, workflows, and the scripts of the zip

Gradescope's zip alone holds anything of `solutions/`.
"""
