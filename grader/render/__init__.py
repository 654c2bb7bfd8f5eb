"""From a Report to text, one pure function a format."""

from grader.render.terminal import render_terminal

__all__ = ["render_terminal"]
