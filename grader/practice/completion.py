"""Completion in the shell by click, with two additions: `=` in bash, and no name that a shell would execute."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from click.shell_completion import (
    BashComplete,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
)

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

VARIABLE = "_GRADE_COMPLETE"
SHELLS = ("bash", "zsh", "fish")
_WORD = re.compile(r"[\w.@%+=:,-]+")  # no shell executes or splits a word of these characters


class _Safe(ShellComplete):
    """Completion that prints nothing but words that are safe on a command line."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[Any]]:
        """Return the possible words; none if the line is wrong so far."""
        args = [word for word in args if word != "="]  # bash splits `--check=sw` into three words
        self.ctx_args["obj"] = args  # CheckName looks for the assignment among them
        try:
            found = super().get_completions(args, incomplete)
        except Exception:  # an error message would disturb the line that is being typed
            return []
        return [item for item in found if item.type != "plain" or _WORD.fullmatch(item.value)]


for _shell in (BashComplete, ZshComplete, FishComplete):
    add_completion_class(type(_shell.__name__, (_Safe, _shell), {}))


def script(command: click.Command, shell: str) -> str:
    """Return the completion script of a shell."""
    complete = get_completion_class(shell)
    assert complete is not None
    return complete(command, {}, "grade", VARIABLE).source()
