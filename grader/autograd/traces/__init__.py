"""Traces: what a test's graph went through in the student's engine, beside the same walk done right.

watch.py   one test runs once more, watched: its requests, and what inside/trace.py notes in the jail
arrays.py  arrays as texts, with right results and contributions
graph.py   the graph as the jail noted it, with right data and right local derivatives
steps.py   what each request did, both walks as steps, and the first step at which they differ, in words
"""
