"""The class of an engine's leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.sandbox import Sandbox


def node_class(sandbox: Sandbox) -> str:
    """Return the name of the class of an engine's nodes: `Tensor` where the manifest has `arrays: true`."""
    return "Tensor" if sandbox.has_arrays else "Value"
