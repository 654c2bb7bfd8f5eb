"""A copy of the working tree, with an environment that runs it, for changes that must not reach the checkout."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def make_tree(home: Path) -> tuple[Path, Path]:
    """Copy the working tree into `home`, make an environment that runs the copy; return the copy and its Python."""
    tree, python = home / "tree", home / "venv" / "bin" / "python"
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    shutil.rmtree(tree, ignore_errors=True)
    for name in names.decode().split("\0")[:-1]:
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    if not python.exists():
        venv.create(home / "venv", symlinks=True)
        (site,) = (home / "venv" / "lib").glob("python*/site-packages")
        for path in Path(sysconfig.get_path("purelib")).iterdir():
            if path.suffix != ".pth":  # one of which has the checkout
                (site / path.name).symlink_to(path)
        (site / "tree.pth").write_text(f"{tree}\n", encoding="utf-8")
        command = python.with_name("grade")
        command.write_text(f"#!{python}\nfrom grader.__main__ import main\nmain()\n", encoding="utf-8")
        command.chmod(0o755)
    return tree, python


def pytest_command(python: Path) -> list[str]:
    """Return the command that runs default tests of a copy, in one process."""
    return [str(python), "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
