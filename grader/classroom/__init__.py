"""A class on GitHub: release a template, open it to students, collect work, post grades, grade in CI.

commands.py           the commands and their options
release/              `grade release`: a template repository, Classroom 50's bundle, Gradescope's zip
ci.py                 `grade ci`: grade in a job of GitHub Actions, and publish the report there
runners.py            grade in Classroom 50's runner and in Gradescope's container
class_setup.py        `grade class`: set up a class in a private repository
record.py             the results file on the branch `results`, shared by several people
own_repository.py     the course's own repository: the files that decide grades, and who can read it
opening.py            `grade open`: release an assignment to a class, with the workflow that answers pushes
distribute.py         the students' repositories, and pull requests with later changes of the template
collect/              `grade collect`: fetch the work of a class into a folder
post.py               `grade post`: write each student's grade on GitHub, and edit it later
letters.py            the text of a grade, for a student or a team
answer.py             `grade answer`: grade the pushes since the last run with the hidden checks
github/               GitHub's API
git/                  git, run within limits and without a checkout
"""
