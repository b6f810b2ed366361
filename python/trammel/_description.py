"""Models that are built in Python, as the text of a model file, and back from its lines to their words."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any


def _word(value: Any) -> str:
    """A number, a text or a truth value as YAML has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "~"
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:  # a number of NumPy
        value = value.item()
    if isinstance(value, (int, float)):
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{value} is not a finite number")
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    raise TypeError(f"a {type(value).__name__} has no place in a model: numbers, texts, lists and dicts have")


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _flow(value: Any) -> str:
    value = _plain(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_word(str(key))}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return _word(value)


def write(description: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The text, and for each of its lines the path of what stands there: ``bodies.crank.mass``."""
    lines: list[str] = []
    paths: list[str] = []

    def add(mapping: Mapping[str, Any], indent: int, path: str) -> None:
        for key, value in mapping.items():
            value = _plain(value)
            here = f"{path}.{key}" if path else str(key)
            try:
                head = " " * indent + _word(str(key)) + ":"
                if isinstance(value, Mapping) and value:
                    lines.append(head)
                    paths.append(here)
                    add(value, indent + 2, here)
                else:
                    lines.append(f"{head} {_flow(value)}")
                    paths.append(here)
            except (TypeError, ValueError) as error:
                if str(error).startswith(here):
                    raise
                raise type(error)(f"{here}: {error}") from None

    add(description, 0, "")
    return "\n".join(lines) + "\n", paths
