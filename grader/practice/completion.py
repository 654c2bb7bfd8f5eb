"""Completion in the shell: the scripts, and the answers that they ask for.

A script asks `grade completion bash --answer -- WORD ...` with the words that stand on the line, the
unfinished one last. Each line of the answer is `plain`, a word and what it is, with tabs in between, or
`file` where a file is wanted. Nothing is told through the environment: it has no say in any command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from click.shell_completion import ShellComplete

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

_BASH = r"""# Completion of `grade` for bash.
_grade_complete() {
    local kind word help
    COMPREPLY=()
    while IFS=$'\t' read -r kind word help; do
        case $kind in
            plain) COMPREPLY+=("$word") ;;
            file) compopt -o default 2>/dev/null ;;
        esac
    done < <("$1" completion bash --answer -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o nosort -F _grade_complete grade 2>/dev/null || complete -F _grade_complete grade
"""

_ZSH = r"""#compdef grade
# Completion of `grade` for zsh.
_grade() {
    local kind word help
    local -a found
    while IFS=$'\t' read -r kind word help; do
        case $kind in
            plain) found+=("${word//:/\\:}${help:+:$help}") ;;
            file) _files ;;
        esac
    done < <("${words[1]}" completion zsh --answer -- "${(@)words[2,CURRENT]}" 2>/dev/null)
    (( $#found )) && _describe -V 'grade' found
}
if [[ ${funcstack[1]} == _grade ]]; then
    _grade "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef _grade grade
fi
"""

_FISH = r"""# Completion of `grade` for fish.
function __grade_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    $words[1] completion fish --answer -- $words[2..-1] "$last" 2>/dev/null | while read -l line
        set -l parts (string split \t -- $line)
        switch $parts[1]
            case plain
                printf '%s\t%s\n' $parts[2] "$parts[3]"
            case file
                __fish_complete_path "$last"
        end
    end
end
complete -c grade -f -a '(__grade_complete)'
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
_WORD = re.compile(r"[\w.@%+=:,-]+")  # no shell takes any of these for more than a letter


def answer(command: click.Command, words: Sequence[str]) -> list[str]:
    """The lines of the answer for the words after `grade`, the unfinished one last.

    A line that is wrong so far gets no answer: nothing helps there, and an error would disturb the line.
    """
    *before, last = words or [""]
    if before and before[-1] == "=":  # bash tells `--check=sw` as three words
        before.pop()
    last = "" if last == "=" else last
    try:
        found = ShellComplete(command, {"obj": before}, "grade", "").get_completions(list(before), last)
    except Exception:
        return []
    option, joined, _ = last.partition("=")
    begin = option + joined if joined and option.startswith("--") else ""  # the word is `--check=swap_rule`
    lines = []
    for item in found:
        if item.type != "plain":
            lines.append(item.type)
        elif _WORD.fullmatch(item.value):
            lines.append(f"plain\t{begin}{item.value}\t{' '.join((item.help or '').split())}")
    return lines
