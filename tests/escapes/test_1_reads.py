"""Promise 1: a submission reads nothing but the standard library, the allowed imports and itself."""

from __future__ import annotations

import pytest
from escapes.ground import Attack, Ground, attacks
from escapes.stories import it_is_held, it_succeeds_without_its_guard

each = pytest.mark.parametrize("attack", attacks("reads"), ids=lambda attack: attack.name)


@each
def test_held(ground: Ground, attack: Attack) -> None:
    it_is_held(ground, attack)


@each
def test_succeeds_without_its_guard(weak_ground: Ground, attack: Attack) -> None:
    it_succeeds_without_its_guard(weak_ground, attack)
