"""The worker processes of a command for authors. They return any value, because they run only the grader's own code."""

from __future__ import annotations

import base64
import gc
import pickle
from typing import TYPE_CHECKING, Any

from grader.errors import Broken
from grader.grading.workers import NotGraded, Workers, usable_cores

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

# Between two searches for garbage; with Python's own 700 the searches take a twentieth of the time.
OBJECTS = 100_000


class ProcessPool(Workers):
    """A worker for each core. A call returns, or raises, whatever can be pickled."""

    def __init__(self) -> None:
        gc.set_threshold(OBJECTS)
        super().__init__(len(usable_cores()), patience=0)

    def submit(self, call: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """Call in one of the workers. The future raises what the call raises, or Broken if four workers ended."""
        return super().submit(_pickle_outcome, call, *args, **options)

    def _call(self, call: bytes) -> Any:
        try:
            answer = super()._call(call)
        except NotGraded as error:
            raise Broken(
                f"a run was not finished: {error}; run the command again: finished results are kept"
            ) from error
        value, raised = pickle.loads(base64.b64decode(answer))  # noqa: S301  from our own code, which ran no student's
        if raised is not None:
            raise raised
        return value


def _pickle_outcome(call: Callable[..., Any], /, *args: Any, **options: Any) -> str:
    gc.set_threshold(OBJECTS)
    outcome: tuple[Any, Exception | None]
    try:
        outcome = call(*args, **options), None
    except Exception as error:
        outcome = None, error
    return base64.b64encode(pickle.dumps(outcome)).decode()
