# %% [markdown]
# # Doubling
#
# Write a function, then a box that uses it.

# %%
def double(x):
    """Twice x."""
    ### BEGIN SOLUTION: write double
    return x + x
    ### END SOLUTION


# %%
class Box:
    """Keeps a number."""

    def __init__(self, number):
        self.number = number

    def grow(self):
        """Doubles the number that is kept."""
        ### BEGIN SOLUTION
        # STUB: if self.number:  # an empty box stays empty
        # STUB:     raise NotImplementedError("make the box grow")
        self.number = double(self.number)
        ### END SOLUTION


# %% [markdown]
# Look at a box before and after.

# %% tags=["demo"]
box = Box(2.5)
box.grow()
print(box.number)

# %%
def rows():
    """The number of rows in data/rows.csv."""
    ### BEGIN SOLUTION: count the rows
    with open("data/rows.csv") as file:
        return len(file.readlines()) - 1
    ### END SOLUTION


# %%
### BEGIN SOLUTION: answer
# STUB: eight = ...  # a number: double, applied three times to 1.25
eight = 10.0
### END SOLUTION

# %% [markdown] tags=["essay"]
# Why is doubling not squaring?
#
# ### BEGIN SOLUTION: Your answer:
# Three becomes six and not nine; only 0 and 2 do not tell them apart.
# ### END SOLUTION
