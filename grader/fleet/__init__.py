"""Many submissions: a class graded by processes of this machine or of a cluster.

commands.py   `grade batch`
batch.py      a class graded over a pool, each result kept at once; the progress
packing.py    what grades an assignment, packed: for a cluster, or with another salt
session.py    the session of a process: it opens the checks once and grades one submission after another
workers.py    the worker processes of one machine, as an executor
cluster.py    the workers of a Dask cluster, as an executor
"""
