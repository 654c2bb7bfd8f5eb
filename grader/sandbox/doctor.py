"""`grade doctor`: tries each of the jail's promises on this machine and says which hold.

The promises and what is not promised stand in docs/promises.md; `probes.py` has what is tried.
"""

from __future__ import annotations

import os
import platform
import secrets
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader import __version__
from grader.sandbox import StudentError, SubmissionStopped
from grader.sandbox.probes import PROMISES, Room

if TYPE_CHECKING:
    from grader.sandbox import Launcher


@dataclass(frozen=True)
class Finding:
    """What became of one promise: `broken` is what got through, nothing where it holds."""

    number: int
    promise: str
    broken: list[str]


@dataclass(frozen=True)
class Diagnosis:
    """What is in force on this machine, why the rest is not, and what became of each promise."""

    in_force: dict[str, str]
    missing: dict[str, str]
    findings: list[Finding]

    @property
    def sound(self) -> bool:
        """Whether every promise holds."""
        return not any(finding.broken for finding in self.findings)


def examine(launcher: Launcher) -> Diagnosis:
    """Try every promise. Raises SandboxUnavailable when no jail can be started."""
    findings = []
    with tempfile.TemporaryDirectory(prefix="backgrade-doctor-") as folder:
        room = Room(launcher, Path(folder).resolve(), secrets.token_hex(16))
        (room.folder / "secret.txt").write_text(room.secret, encoding="utf-8")
        for number, (promise, probe) in enumerate(PROMISES.items(), start=1):
            try:
                broken = probe(room)
            except (StudentError, SubmissionStopped) as error:
                broken = [f"the probe ended early: {error}"]
            findings.append(Finding(number, promise, broken))
    return Diagnosis(launcher.in_force, launcher.missing, findings)


# --- Telling


def render(diagnosis: Diagnosis) -> str:
    """The examination for a terminal."""
    lines = [_machine(), ""]
    for measure, what in diagnosis.in_force.items():
        lines += _hanging(f"  {measure:<10}  in force  ", what)
    for measure, why in diagnosis.missing.items():
        lines += _hanging(f"  {measure:<10}  missing   ", why)
    lines += ["", "A submission"]
    for finding in diagnosis.findings:
        state = "broken" if finding.broken else "holds"
        lines.append(f"  {finding.number:>2}  {state:<6}  {finding.promise}")
        for what in finding.broken[:4]:
            lines += _hanging(" " * 14, what)
        if len(finding.broken) > 4:
            lines.append(" " * 14 + f"and {len(finding.broken) - 4} more")
    lines.append("")
    if diagnosis.sound:
        lines.append("Every promise holds on this machine.")
    else:
        lines += _hanging(
            "",
            "Not every promise holds on this machine. Grade your own work only; for others' work use "
            "Linux with Landlock and seccomp, or a dev container.",
        )
    lines.append("What is promised, and what is not: docs/promises.md of Backgrade's own repository")
    return "\n".join(lines) + "\n"


def _machine() -> str:
    who = "root" if hasattr(os, "geteuid") and os.geteuid() == 0 else "an ordinary user"
    system = f"{platform.system()} {platform.release()} ({platform.machine()})"
    return f"Backgrade {__version__}, Python {platform.python_version()}, {system}, as {who}"


def _hanging(beginning: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, 96, initial_indent=beginning, subsequent_indent=" " * len(beginning), break_on_hyphens=False
    )
