"""Grade a class with the processes of this machine or of a cluster.

commands.py   `grade batch`
batch.py      grade a class with a pool of workers, keep each result at once, show the progress
packing.py    pack the files that grade an assignment, for a cluster or with another salt
session.py    the session of a worker: opens the checks once, and grades one submission after another
cluster.py    the workers of a Dask cluster, as an executor
"""
