"""Where the work of many students comes from: a folder, an archive of a learning platform, a collected class.

work.py       one student's work, as bytes
names.py      a student's key
find.py       whose work a source holds
platforms.py  whose files are whose: names of one's own, and those of Canvas, Moodle and Gradescope
gradescope.py the metadata in Gradescope's export
choice.py     which of a student's files is the submission
tree.py       files below a place, wherever that is
folder.py     on disk
archive.py    in a zip
collected.py  what `grade collect` fetched
"""

from grader.submissions.find import find_works
from grader.submissions.work import Found, HandedIn, NoWork, SourceError, Work

__all__ = ["Found", "HandedIn", "NoWork", "SourceError", "Work", "find_works"]
