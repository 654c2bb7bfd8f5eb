"""A class on GitHub: the template repository, the CI command, what a student's repository is told."""
