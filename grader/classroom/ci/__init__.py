"""CI: grading in a job, for Actions, Classroom 50 and Gradescope."""
