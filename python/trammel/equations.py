"""Equations of motion of one's own, as functions of NumPy arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._errors import Interrupted, RunError

_arguments = ("p", "v", "r", "w", "s", "lam", "mu", "a", "t")
_functions = ("M", "f", "g", "G", "gI", "gII", "Z", "H", "h", "hI", "b", "d", "c", "e", "n")


class Equations:
    """The general equations of motion (docs/equations-of-motion.md) from the functions that a system has::

        p' = Z(p) v,    M(p, t) v' = f(p, v, r, ...) - Zᵀ Gᵀ λ - Zᵀ Hᵀ μ,    r' = b(...),    0 = g(p, t), ...

    A function names the arguments that it wants, of p, v, r, w, s, lam, mu, t (and a, the accelerations, of gII and hI),
    and returns an array::

        def f(p, v):
            return [0, -9.81]

        def g(p):
            return [p @ p - 1]

        pendulum = trammel.Equations(positions=2, holonomic=1, f=f, g=g)
        result = pendulum.run([1, 0, 0, 0], end=10)

    Derivatives come from differences of high order; G, gI, gII and hI are taken from functions if they are given.
    """

    def __init__(
        self,
        *,
        positions: int,
        velocities: int | None = None,
        force_states: int = 0,
        auxiliaries: int = 0,
        contacts: int = 0,
        holonomic: int = 0,
        nonholonomic: int = 0,
        invariants: int = 0,
        normalizations: int = 0,
        names: Mapping[str, Sequence[str]] | None = None,
        constant_mass: bool = False,
        autonomous: bool = False,
        difference_step: float = 0.0,
        **functions: Callable[..., Any],
    ) -> None:
        sizes = {
            "positions": positions,
            "force_states": force_states,
            "auxiliaries": auxiliaries,
            "contacts": contacts,
            "holonomic": holonomic,
            "nonholonomic": nonholonomic,
            "invariants": invariants,
            "normalizations": normalizations,
        }
        if velocities is not None:
            sizes["velocities"] = velocities
        self._core = _core.Equations(
            sizes,
            {key: _function(key, function) for key, function in functions.items()},
            {key: list(words) for key, words in (names or {}).items()},
            constant_mass,
            autonomous,
            difference_step,
        )

    @property
    def unknowns(self) -> list[str]:
        """The names of the state x = (p, v, r, w, s, λ, μ)."""
        return self._core.unknowns

    def start(
        self,
        x0: Any,
        *,
        start: float = 0.0,
        end: float,
        method: str = "psf/radau5",
        rtol: float = 1e-6,
        atol: float | None = None,
        h0: float = 0.0,
        output_times: Iterable[float] = (),
        options: Mapping[str, Any] | None = None,
    ) -> Simulation:
        """A run to be advanced piece by piece, from x0 made consistent. What x0 does not have (multipliers) is zero."""
        x = np.zeros(len(self.unknowns))
        given = np.asarray(x0, dtype=float).ravel()
        if len(given) > len(x):
            raise ValueError(f"the state has {len(x)} entries ({', '.join(self.unknowns)}), not {len(given)}")
        x[: len(given)] = given
        core = _core.Simulation(
            self._core,
            method,
            rtol,
            0.01 * rtol if atol is None else atol,
            h0,
            [float(t) for t in output_times],
            [(key, str(value)) for key, value in (options or {}).items()],
        )
        simulation = Simulation(core, self.unknowns)
        simulation._start(x, start, end)
        return simulation

    def run(self, x0: Any, *, end: float, check: bool = True, **arguments: Any) -> Trajectory:
        """From x0 to the end. The arguments are those of `start`; a failure is raised as `RunError` if `check`."""
        simulation = self.start(x0, end=end, **arguments)
        simulation._core.advance(end)
        return simulation._finished(check)


def _function(key: str, function: Callable[..., Any]) -> _core.Function:
    if key not in _functions:
        raise TypeError(f"equations have no function '{key}'; they have {', '.join(_functions)}")
    names = list(inspect.signature(function).parameters)
    for name in names:
        if name not in _arguments or (name == "a" and key not in ("gII", "hI")):
            raise TypeError(f"function '{key}' asks for '{name}'; arguments are {', '.join(_arguments)}")
    return _core.Function(function, names)


class Trajectory:
    """States over time: ``x[i]`` is the state at ``t[i]``; unknowns by their names, ``trajectory["p1"]``."""

    def __init__(self, core: _core.Simulation, names: list[str], summary: dict[str, Any], report: str) -> None:
        self.names = names
        self.t: np.ndarray = core.times()
        self.x: np.ndarray = core.states()
        self.summary = summary
        self._report = report

    @property
    def status(self) -> str:
        return self.summary["status"]

    def report(self) -> str:
        return self._report

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self.x[:, self.names.index(name)]
        except ValueError:
            raise KeyError(f"there is no unknown '{name}'; there are {', '.join(self.names)}") from None

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame(self.x, columns=self.names, index=pandas.Index(self.t, name="t"))


class Simulation:
    """A run of one's own equations, piece by piece."""

    def __init__(self, core: _core.Simulation, names: list[str]) -> None:
        self._core, self._names = core, names
        self._end = 0.0
        self._trajectory: Trajectory | None = None

    def _start(self, x0: np.ndarray, start: float, end: float) -> None:
        self._end = end
        if not self._core.start(x0, start, end) and start < end:
            self._finished(True)

    def advance(self, t: float) -> bool:
        """Goes on to `t`. False at the end; `RunError` if it fails."""
        if self._core.advance(t):
            return True
        if self._core.t < self._end:
            self._finished(True)
        return False

    @property
    def t(self) -> float:
        return self._core.t

    @property
    def state(self) -> np.ndarray:
        return self._core.state

    @state.setter
    def state(self, x: Any) -> None:
        if not self._core.set_state(np.asarray(x, dtype=float)):
            self._finished(True)

    def save(self) -> _core.SimulationSnapshot:
        return self._core.save()

    def restore(self, snapshot: _core.SimulationSnapshot) -> None:
        self._core.restore(snapshot)

    @property
    def trajectory(self) -> Trajectory:
        """What there is so far. Ends the run where it is."""
        return self._finished(False)

    def _finished(self, check: bool) -> Trajectory:
        if self._trajectory is None:
            summary, report, reason = self._core.finish()
            raised = self._core.raised()
            self._trajectory = Trajectory(self._core, self._names, summary, report)
            if isinstance(raised, KeyboardInterrupt):
                raise Interrupted(summary["message"], self._trajectory) from None
            if check and summary["status"] == "failed":
                raise RunError(summary["message"], reason, self._core.t, self._trajectory) from raised
        return self._trajectory
