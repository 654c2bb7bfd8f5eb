"""All code that runs beside student code: the launcher, and the jails that it forks.

    launcher.py      the clean process that forks, ends and reaps jails
    confine.py       closes a jail: privileges, rlimits, Landlock, seccomp
    landlock.py      the kernel's rules about files
    seccomp.py       the kernel's filter of system calls, made by libseccomp
    worker.py        the jail: executes the submission and answers requests
    values.py        the values of the submission in the form of the wire
    arrays.py        arrays and scalars of numpy's in the form of the wire
    tables.py        DataFrames and Series of pandas in the form of the wire
    cells.py         one cell: its code, its names, its output
    data.py          the files of `data/`: kept in memory, and read from there by Python's own ways to a file
    definitions.py   the lines that define names and functions
    imports.py       the imports that a submission may make
    holding.py       what the names of a line hold where an error was raised
    sharing.py       lists, arrays and defaults that objects or calls share, and copies, by identity
    history.py       the lines that gave names and attributes their arrays, up to an error
    orders.py        the order of sets
    sealing.py       what a jail needs before it is closed for the second time
    packages.py      third-party packages, imported once by the launcher

It is started by path and uses the standard library only, and the packages that an assignment allows. No module of the grader's package is imported there.
"""
