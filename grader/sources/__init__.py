"""Where the work of many students comes from: a folder, an archive of a learning platform, a collected class.

names.py      a student's key
work.py       one student's work, as bytes
folder.py     a folder of folders, or of files named by student
archive.py    the zip that Canvas, Moodle or Gradescope exports
collected.py  what `grade collect` fetched
"""

from grader.sources.work import Found, SourceError, Work

__all__ = ["Found", "SourceError", "Work"]
