"""`grade ci`: grade once in a job of GitHub Actions and report everywhere that somebody may look.

    ci.py       the command: grade, then log, artifact, summary, annotations, outputs, comment
    actions.py  the runner's formats: annotations and the files of a step

A report that cannot be delivered never changes the exit code.
"""
