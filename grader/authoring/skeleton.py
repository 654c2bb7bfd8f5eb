"""The texts that `grade new` writes: the smallest assignment that is sound, on a topic that everybody knows.

`$name`, `$stem`, `$title` and `$title_quoted` are filled in.
"""

from __future__ import annotations

MANIFEST = """\
format: 1
title: $title_quoted
submission: $stem.ipynb        # the student's notebook; `grade stub $name` makes it from the reference
checks:                        # graded in this order; each has a file test_<its name>.py
  mean:
    points: 60
    hints:                     # `grade hint $name mean` gives one at a time; the last is nearly the answer
      - "The mean is the value of each number if all were equal and their sum the same."
      - "Add the numbers, and divide the sum equally among them."
      - "`sum` adds the numbers of a list and `len` counts them: what is one divided by the other?"
  centred:
    points: 40
    needs: [mean]              # while `mean` does not pass, this check is blocked
    hints:
      - "Which number is subtracted from each of them?"
      - "Compute the mean once, then subtract it from each number."
  # A check that you grade yourself has no file:
  # meaning: {points: 10, manual: true, title: What a mean tells and what it hides}
"""

README = """\
# $title

What a student reads first: the subject, the task, and how long it takes.

Write in `$stem.ipynb`. `grade $name` gives your points, `grade hint $name` helps where you are stuck.
"""

VISIBLE_MEAN = '''\
"""The mean of a list of numbers."""

from pytest import approx


def test_three(student):
    """The mean of 1, 2 and 6 is 3."""
    assert student.mean([1, 2, 6]) == approx(3)
'''

VISIBLE_CENTRED = '''\
"""Centred numbers: each minus the mean of all."""

from pytest import approx


def test_three(student):
    """1, 2 and 6 have the mean 3: centred they are -2, -1 and 3."""
    assert student.centred([1, 2, 6]) == approx([-2, -1, 3])
'''

REFERENCE = '''\
# %% [markdown]
# # $title
#
# What the student reads here is Markdown. Each cell begins with a line like the first one.
#
# The **mean** of some numbers is their sum divided by how many they are.

# %%
def mean(numbers):
    """The mean of a list of numbers."""
    ### BEGIN SOLUTION: write mean
    # The student's notebook has no line between BEGIN and END. Instead it raises an error
    # with the words above, after the colon.
    return sum(numbers) / len(numbers)
    ### END SOLUTION


# %%
def centred(numbers):
    """A list of the numbers, each minus the mean of all."""
    ### BEGIN SOLUTION: write centred, with the help of mean
    middle = mean(numbers)
    return [number - middle for number in numbers]
    ### END SOLUTION


# %% [markdown]
# Look at what you have: the centred numbers add up to 0.

# %% tags=["demo"]
centred([1, 2, 6])
'''

HIDDEN_MEAN = '''\
"""The mean of a list of numbers."""

from pytest import approx


def test_any(student, rng):
    """The mean of any five numbers is their sum divided by 5."""
    # `rng` gives the same numbers for every student; a hidden test shows none of them
    numbers = [rng.uniform(1, 9) for _ in range(5)]
    assert student.mean(numbers) == approx(sum(numbers) / 5)
'''

HIDDEN_CENTRED = '''\
"""Centred numbers: each minus the mean of all."""

from pytest import approx


def test_any(student, rng):
    """Any four numbers, each minus the mean of all."""
    numbers = [rng.uniform(1, 9) for _ in range(4)]
    assert student.centred(numbers) == approx([number - sum(numbers) / 4 for number in numbers])
'''

MISTAKE = """\
# Wrong code that students write, as an edit of the reference. A student whose code computes exactly the same wrong
# values is shown the words.

Mistake(
    "mean_divides_by_one_less",
    "The sum is divided by one less than the count of the numbers. Each number has its share of a mean, the last too.",
    edits={"return sum(numbers) / len(numbers)": "return sum(numbers) / (len(numbers) - 1)"},
    fails="mean centred",
)
"""

IGNORE = """\
.venv/
__pycache__/
.ipynb_checkpoints/
feedback/
.backgrade/
results.db*
.results.db.lock
"""

FILES = {
    "assignments/$name/assignment.yaml": MANIFEST,
    "assignments/$name/README.md": README,
    "assignments/$name/checks/test_mean.py": VISIBLE_MEAN,
    "assignments/$name/checks/test_centred.py": VISIBLE_CENTRED,
    "solutions/$name/$stem.py": REFERENCE,
    "solutions/$name/checks/test_mean.py": HIDDEN_MEAN,
    "solutions/$name/checks/test_centred.py": HIDDEN_CENTRED,
    "solutions/$name/mistakes/mean.py": MISTAKE,
}
