"""Small motions about a state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Mode:
    """A mode; frequencies in Hz, eigenvalues in 1/s."""

    eigenvalue: complex
    frequency_hz: float
    natural_frequency_hz: float
    damping_ratio: float
    time_constant: float
    stable: bool
    moves: str


@dataclass
class Linearization:
    """z' = A δz + B δu, δy = C δz + D δu, with the names of z, u and y, and the modes of A, the slowest first."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    at_rest: bool
    notes: list[str]
    modes: list[Mode] = field(default_factory=list)

    def __post_init__(self) -> None:
        found: list[Any] = self.modes
        self.modes = [mode if isinstance(mode, Mode) else Mode(**mode) for mode in found]

    def to_pandas(self) -> Any:
        """The modes as a table of pandas."""
        import pandas

        return pandas.DataFrame([vars(mode) for mode in self.modes])
