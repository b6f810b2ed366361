"""Models stepped in real time: steps of one size, iterations bounded, nothing allocated in a step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping

import numpy as np

from . import _core


class _Inputs(MutableMapping[str, float]):
    """Inputs and states of the model, by name."""

    def __init__(self, core: _core.RealTime) -> None:
        self._core = core

    def __getitem__(self, name: str) -> float:
        if name not in self._core.input_names:
            raise KeyError(name)
        return self._core.input(name)

    def __setitem__(self, name: str, value: float) -> None:
        self._core.set_input(name, float(value))

    def __delitem__(self, name: str) -> None:
        raise TypeError("an input has a value")

    def __iter__(self) -> Iterator[str]:
        return iter(self._core.input_names)

    def __len__(self) -> int:
        return len(self._core.input_names)


class RealTime:
    """A model that is stepped at a rate; `Model.real_time` makes one. Pacing is the caller's.

    >>> run = model.real_time(rate=1000)
    >>> while run.step():
    ...     run.inputs["push"] = -2 * run["A.angle_rate"]    # holds from the next step on
    >>> print(run.times)

    A step whose iteration has not converged within its bound is kept: `converged` and `residual` tell of the last
    one, `unconverged` how many there were. `switched` counts steps inside of which a law changed its branch.
    """

    def __init__(self, core: _core.RealTime) -> None:
        self._core = core
        self.inputs: MutableMapping[str, float] = _Inputs(core)
        # bound once: it is called in loops
        self.step = core.step

    @property
    def t(self) -> float:
        return self._core.t

    @property
    def over(self) -> bool:
        return self._core.over

    @property
    def method(self) -> str:
        return self._core.method

    @property
    def step_size(self) -> float:
        return self._core.step_size

    def __getitem__(self, channel: str) -> float:
        """The value of a channel now."""
        return self._core.value(channel)

    def values(self, channels: Iterable[str]) -> np.ndarray:
        """The values of several channels now."""
        return self._core.values(list(channels))

    @property
    def converged(self) -> bool:
        return self._core.converged

    @property
    def residual(self) -> float:
        """Of the last step, relative to the forces."""
        return self._core.residual

    @property
    def unconverged(self) -> int:
        return self._core.unconverged

    @property
    def switched(self) -> int:
        return self._core.switched

    @property
    def notes(self) -> list[str]:
        return self._core.notes

    @property
    def times(self) -> dict[str, float]:
        """CPU time of steps in seconds: `steps`, `mean`, `below_999` (99.9 % of them are below), `worst`."""
        return self._core.times
