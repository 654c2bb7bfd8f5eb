"""The arrays of digits.npz. Written by `grade stub`: cells import them, and the grader has a module of the same name."""

from pathlib import Path

import numpy as np

with np.load(Path(__file__).with_name("digits.npz"), allow_pickle=False) as _arrays:
    globals().update({_name: _arrays[_name] for _name in _arrays.files})
