"""What can go wrong, with the place and the user's own names."""

from __future__ import annotations

from typing import Any


class ModelError(ValueError):
    """A model that cannot be.

    `message` says what is wrong. `file`, `line` and `column` (from 1; 0: not known) say where it was written; of a model
    that was built in Python, `path` says it in its words: ``bodies.crank.mass``.
    """

    def __init__(self, message: str, file: str = "", line: int = 0, column: int = 0, path: str = "") -> None:
        self.message, self.file, self.line, self.column, self.path = message, file, line, column, path
        place = path or (":".join([file, *(str(n) for n in (line, column) if n > 0)]) if file else "")
        super().__init__(f"{place}: {message}" if place else message)


class AnalysisError(RuntimeError):
    """A model that cannot be assembled, has no equilibrium, cannot be linearised. `reason` is a word for programs."""

    def __init__(self, message: str, reason: str = "") -> None:
        self.message, self.reason = message, reason
        super().__init__(message)


class RunError(RuntimeError):
    """A run that failed. `reason` is a word for programs, `t` the time it had come to, `result` what was computed."""

    def __init__(self, message: str, reason: str, t: float, result: Any) -> None:
        self.message, self.reason, self.t, self.result = message, reason, t, result
        super().__init__(message)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in a run. `result` is what was computed until then."""

    def __init__(self, message: str, result: Any) -> None:
        self.message, self.result = message, result
        super().__init__(message)
