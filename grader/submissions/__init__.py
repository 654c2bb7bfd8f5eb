"""Where the work of many students comes from: a folder, an archive of a learning platform, a collected class.

work.py        what one student handed in: the facts about it, and the bytes
submission.py  a notebook or a .py file, as blocks of source
intake.py      what may be graded here, and the earlier work that it continues
find.py        the students of a source
platforms.py   whose files are whose: names of one's own, and those of Canvas, Moodle and Gradescope
gradescope.py  the metadata in Gradescope's export
choice.py      which of a student's files is the submission
tree.py        files below a place: on disk, or parts of another tree
archive.py     the files in a zip
collected.py   what `grade collect` fetched
keys.py        a student's key
"""

from grader.submissions.find import find_works
from grader.submissions.work import Found, HandedIn, Work

__all__ = ["Found", "HandedIn", "Work", "find_works"]
