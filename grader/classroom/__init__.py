"""A class on GitHub: release a template, open it to students, collect work, post grades, grade in CI.

commands.py           the commands, parsed and called
release/              `grade release`: a template repository, and the files of two platforms
ci.py                 `grade ci`: grading in a job of GitHub Actions, published there
runners.py            grading in Classroom 50's runner and in Gradescope's container
class_setup.py        `grade class`: from a course to a private repository with a class in it
record.py             the results file on the branch `results`, for several people
own_repository.py     the course's own repository: the files there that decide grades, and its readers
opening.py            `grade open`: from the course to a running class, with the workflow that answers pushes
distribute.py         a template on GitHub, a repository for each student, and pull requests with what has changed since
collect/              `grade collect`: the work of a class, in a folder
post.py               `grade post`: each student's grade, written on GitHub, found again, edited
letters.py            its texts, for a student or a team
answer.py             `grade answer`: hidden checks answer the pushes since the last run
github/               GitHub's API
git/                  git, started within limits and read without a checkout
"""
