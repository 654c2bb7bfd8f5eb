"""Traces: what a test's graph went through in the student's engine, beside the same walk done right.

watch.py   one test runs once more, watched: its requests, and what inside/trace.py notes in the jail
graph.py   the graph as the jail noted it, with right data and right local derivatives
walked.py  what each request did, and each walk of the test as a run, which walks/findings.py reads
steps.py   both walks as steps, and the first step at which they differ, in words
"""
