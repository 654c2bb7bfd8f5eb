"""A fix of the template, offered to a repository that was made from it, as one pull request with one commit.

It contains the files that the template has changed since the repository was made. A file that the student edited is
part of it only where the template changed it too; the pull request then shows the difference. Nothing is merged here.
Each state of the template is offered once: an open, merged or closed pull request ends it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.classroom.github.failures import RequestFailed
from grader.classroom.github.repository import Pull, commit, commits, files, has_branch, name_commit
from grader.classroom.release.pushed_template import origin_of
from grader.report import MAX_FIELD, quote

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.classroom.github.api import Api
    from grader.classroom.github.repository import CommitPayload, Repository, TreeItem
    from grader.classroom.github.survey import SurveyRow
    from grader.classroom.release.pushed_template import Template

REQUESTS = 8  # requests for an offer: four that read, four that write
SHOWN = 30  # names of one kind; the rest are counted
TITLE = "Fixes from your instructor"
# GitHub shows every end of line as a line break, so a paragraph is one line.
BODY = """\
Your instructor has changed files that came with your assignment. This pull request brings the changes to your \
repository. Nothing changes until you merge it, and the notebooks that you write in are not part of it.

{names}

What to do:

1. Look at the tab *Files changed*. Where you have edited one of these files yourself, your own lines are shown \
in red: merging replaces them.
2. Press *Merge pull request*.
3. On your machine, before you go on: `git pull`.

If GitHub reports conflicts, or you are not sure, ask your instructor. An older pull request of this kind that is \
still open is contained in this one; close it.
"""


@dataclass(frozen=True)
class Changes:
    """The differences of a template from a repository: files by path, and removed files."""

    changed: dict[str, TreeItem] = field(default_factory=dict)
    new: dict[str, TreeItem] = field(default_factory=dict)
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changed or self.new or self.removed)


def changes_for(
    template: Template, base: Mapping[str, TreeItem] | None, theirs: Mapping[str, TreeItem]
) -> Changes:
    """Return the changes of the template since `base` that `theirs` does not have.

    Without a base every protected file that differs is a change, and none is removed.
    """
    wanted = {
        name: entry
        for name, entry in template.protected.items()
        if (base is None or not _same(base.get(name), entry)) and not _same(theirs.get(name), entry)
    }
    gone = (base or {}).keys() - template.files.keys()
    return Changes(
        {name: entry for name, entry in wanted.items() if name in theirs},
        {name: entry for name, entry in wanted.items() if name not in theirs},
        # The notebook of a removed assignment is the student's work.
        tuple(sorted(name for name in gone if name in theirs and not name.endswith(".ipynb"))),
    )


def _same(there: TreeItem | None, wanted: TreeItem) -> bool:
    return there is not None and there.is_file and there.sha == wanted.sha


class Fixer:
    """Offers the changes of a template."""

    def __init__(self, api: Api, template: Template) -> None:
        self.api, self.template = api, template
        self.branch = f"backgrade/fix-{template.tree[:10]}"

    def is_wanted(self, seen: SurveyRow) -> bool:
        """Return True if a repository lacks changes that were not offered yet. Raises RequestFailed.

        This costs one request where the student has pushed, and one more where the history is long.
        """
        if seen.offered:
            return False
        theirs = self._files(seen)
        may_hold_removed = len(self.template.trees) > 1 and bool(theirs.keys() - self.template.files.keys())
        if not may_hold_removed and not changes_for(self.template, None, theirs):
            return False  # equal to the current template, so the base does not matter
        return bool(self._changes(seen, theirs))

    def _files(self, seen: SurveyRow) -> Mapping[str, TreeItem]:
        """Return the files of its branch; without a request, if the student has changed nothing."""
        assert seen.found is not None
        if not seen.tree:
            raise RequestFailed("it has no commit yet", 409)
        if seen.tree in self.template.trees:
            return self.template.earlier(seen.tree)
        return files(self.api, seen.found.full_name, seen.tree)

    def offer(self, seen: SurveyRow) -> str:
        """Open the pull request, and return a phrase about it. Raises RequestFailed."""
        found = seen.found
        assert found is not None
        place = found.full_name
        newest = next(commits(self.api, place, found.default_branch))
        changes = self._changes(seen, files(self.api, place, newest.tree))
        if not changes:
            return "has the fix already"
        if not has_branch(self.api, place, self.branch):
            name_commit(self.api, place, self._commit(place, newest, changes), self.branch)
        data = {"title": TITLE, "head": self.branch, "base": found.default_branch, "body": _body(changes)}
        number = self.api.make_once(
            lambda: self.api.ask("POST", f"/repos/{place}/pulls", Pull, **data).number,
            lambda: self._offered(found),
        )
        return f"offered the fix in pull request {number}"

    def _changes(self, seen: SurveyRow, theirs: Mapping[str, TreeItem]) -> Changes:
        assert seen.found is not None
        origin = origin_of(self.api, self.template, seen.found, seen.first)
        base = None if origin is None else self.template.earlier(origin)
        return changes_for(self.template, base, theirs)

    def _offered(self, found: Repository) -> int | None:
        """Return the number of the open, merged or closed pull request for this state of the template."""
        query = {"head": f"{found.owner}:{self.branch}", "state": "all"}
        pulls = self.api.pages(f"/repos/{found.full_name}/pulls", Pull, query)
        return next((pull.number for pull in pulls if pull.head.ref == self.branch), None)

    def _commit(self, place: str, onto: CommitPayload, changes: Changes) -> str:
        wanted = changes.changed | changes.new
        contents = {name: (entry.mode, self.template.data(name)) for name, entry in wanted.items()}
        message = f"{TITLE}\n\nFrom {self.template.name}, tree {self.template.tree[:10]}"
        return commit(self.api, place, onto, contents | dict.fromkeys(changes.removed), message)


def _body(changes: Changes) -> str:
    kinds = {"Changed": changes.changed, "New": changes.new, "Removed": changes.removed}
    parts = [f"{kind}:\n\n{_listed(list(names))}" for kind, names in kinds.items() if names]
    return BODY.format(names="\n\n".join(parts))


def _listed(names: Sequence[str]) -> str:
    more = [f"- and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return "\n".join([*(f"- {quote(name, MAX_FIELD)}" for name in names[:SHOWN]), *more])
