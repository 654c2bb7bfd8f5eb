"""The interfaces between a sandbox and the process that answers it: a jail, a live namespace, a page's own Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.manifest import Limits
    from grader.sandbox.errors import Frame


class Endpoint(Protocol):
    """Anything that answers requests: the process of a jail, or a live namespace."""

    received: int
    ended: bool
    stood: tuple[Frame, ...]  # where it stood when its time ran out, if known

    def ask(self, message: dict[str, Any], deadline: float) -> dict[str, Any]:
        """Send one request and return its reply; `deadline` is a time of `time.monotonic`."""

    def end(self) -> object:
        """End it; no further request follows."""


class Replays(Endpoint, Protocol):
    """An Endpoint that also answers several requests in one message."""

    def send(self, message: dict[str, Any], deadline: float) -> None:
        """Send one message."""

    def receive(self, deadline: float) -> dict[str, Any]:
        """Return the next reply to the last message."""


class Opens(Protocol):
    """Anything that opens an Endpoint: the launcher of jails, or a live namespace."""

    @property
    def in_force(self) -> dict[str, str]:
        """The measures in force, and what each covers."""

    def open(
        self, limits: Limits, imports: Sequence[str] = (), *, arrays: bool = False, sealed: bool = False
    ) -> Endpoint:
        """Open an Endpoint. With `arrays` it has numpy and sends arrays as values. Raises SandboxUnavailable.

        With `sealed`, the request `seal` will follow before any code of the submission runs.
        """
