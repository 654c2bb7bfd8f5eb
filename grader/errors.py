"""What a user is told instead of a traceback; whose fault it is decides the exit code."""


class Refused(Exception):
    """Wrong usage or a file that cannot be used: the text names it, the place and the remedy; exit code 2."""


class Broken(Exception):
    """A file of the course's, or the grader itself: never a zero; exit code 3."""
