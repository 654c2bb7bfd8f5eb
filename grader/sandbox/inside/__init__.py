"""Everything that runs where student code runs: the launcher, and the jail that it forks.

Standard library only (the launcher borrows the jail libraries), and started by path: nothing
of the grader's package is imported there.
"""
