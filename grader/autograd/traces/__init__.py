"""Traces: a test's walk in the student's engine, step by step, next to a right walk.

watch.py   watches one test that runs again: its requests, and the notes of inside/trace.py in the jail
arrays.py  arrays as texts, with right results and contributions
graph.py   the graph as the jail noted it, with right data and right local derivatives
steps.py   the effect of each request, both walks as steps, and the first step at which they differ, in words
"""
