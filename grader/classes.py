"""The commands for a class: parse, call, exit code; no logic.

Imports are late and few, for `grade day2` should answer in under half a second.
"""

from __future__ import annotations

from grader.commands import CLASSES, kept_commands

COMMANDS, _command = kept_commands(CLASSES)
