"""A fixture that gives a property the same examples on each machine: import it into the module of the property."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis.internal.conjecture import providers

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module", autouse=True)
def the_same_everywhere() -> Iterator[None]:
    """Hypothesis takes no constants out of whatever modules are loaded, and keeps no file of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(providers, "_get_local_constants", lambda: providers._local_constants, raising=False)
        yield
