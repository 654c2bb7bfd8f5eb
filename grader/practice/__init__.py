"""Practice: what a student does with an assignment on their own machine."""
