"""Colours that mean something differ for everybody: seen as those see them who lack a kind of cone (Machado 2009, CIELAB)."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import grader

if TYPE_CHECKING:
    from collections.abc import Sequence

SIGHT = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.01182, 0.04294, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.3039),
    ),
}
XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
WHITE = (0.9505, 1, 1.089)
APART = 20  # CIE76; 2.3 is just noticeable


def times(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def linear(colour: str) -> list[float]:
    parts = re.findall("..", colour if len(colour) == 6 else "".join(2 * one for one in colour))
    return [
        v / 12.92 if (v := int(one, 16) / 255) <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for one in parts
    ]


def lab(colour: str, sight: str) -> tuple[float, float, float]:
    seen = [min(max(one, 0), 1) for one in times(SIGHT[sight], linear(colour))]
    x, y, z = (
        math.cbrt(one / white) if one / white > 0.008856 else 7.787 * one / white + 16 / 116
        for one, white in zip(times(XYZ, seen), WHITE, strict=True)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def contrast(one: str, other: str) -> float:
    dim, bright = sorted(times(XYZ, linear(colour))[1] + 0.05 for colour in (one, other))
    return bright / dim


@pytest.mark.ci
@pytest.mark.parametrize("part", [0, 1], ids=["light", "dark"])
def test_forward_backward_and_wrong_differ_for_everybody(part: int) -> None:
    """On the player's pages; each can be read there. Orange was nearly the red of what failed."""
    tokens = (Path(grader.__file__).parent / "render" / "tokens.css").read_text(encoding="utf-8")
    colours = dict(re.findall(r"--([\w-]+): #(\w+)", re.findall(r"\.page {(.*?)}", tokens, re.DOTALL)[part]))
    meant = [colours[name] for name in ("blue", "backward", "failed-text")]

    for sight in SIGHT:
        for one, other in itertools.combinations(meant, 2):
            assert math.dist(lab(one, sight), lab(other, sight)) > APART, (sight, one, other)
    assert all(contrast(one, colours[below]) > 4.5 for one in meant for below in ("page", "soft"))
