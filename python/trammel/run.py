"""A run step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableMapping
from typing import Any

import numpy as np

from . import _core
from ._errors import Interrupted, RunError
from .result import Result


class Event:
    """Something to be found while a run goes on: a channel, or a function ``(t, state)``, passes a level.

    `direction` is ``"either"``, ``"rising"`` or ``"falling"``; `action` is ``"record"``, ``"stop"`` or ``"change"``: then
    ``change(t, state)`` gets the state as an array, changes it or returns another, and the run goes on from there, made
    consistent.
    """

    def __init__(
        self,
        name: str,
        of: str | Callable[[float, np.ndarray], float],
        level: float = 0.0,
        *,
        direction: str = "either",
        action: str | None = None,
        change: Callable[[float, np.ndarray], Any] | None = None,
    ) -> None:
        if action is None:
            action = "record" if change is None else "change"
        if (action == "change") != (change is not None):
            raise ValueError(f"event '{name}': the action 'change' and a function for it go together")
        channel, function = (of, None) if isinstance(of, str) else ("", of)
        self.name = name
        self._core = _core.Event(name, channel, function, float(level), direction, action, change)


class _States(MutableMapping[str, float]):
    """Inputs of a run, by name."""

    def __init__(self, run: Run, names: list[str]) -> None:
        self._run, self._names = run, names

    def __getitem__(self, name: str) -> float:
        if name not in self._names:
            raise KeyError(name)
        return self._run._core.state_value(name)

    def __setitem__(self, name: str, value: float) -> None:
        self._run.set_inputs(**{name: value})

    def __delitem__(self, name: str) -> None:
        raise TypeError("an input has a value")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))


class Run:
    """A run that is advanced piece by piece; `Model.start` makes one.

    >>> with model.start(end=10) as run:
    ...     while run.advance(run.t + 0.01):
    ...         run.inputs["push"] = -2 * run["A.angle_rate"]
    >>> result = run.result
    """

    def __init__(self, core: _core.Run) -> None:
        self._core = core
        self._result: Result | None = None
        self._inputs: _States | None = None
        # bound once: they are called in loops
        self._advance = core.advance
        self._value = core.value

    # --- going on

    def _start(self) -> None:
        self._core.start()
        if self._core.over:
            self._look_for_failure()

    def advance(self, t: float) -> bool:
        """Goes on to `t`, where a step ends. False if the run is over: at its end, or where an event stops it.

        Raises `RunError` if it failed and `Interrupted` at Ctrl-C, both with what was computed.
        """
        return self._advance(t) or self._ended()

    def _ended(self) -> bool:
        self._look_for_failure()
        return False

    def _look_for_failure(self) -> None:
        raised = self._core.raised()
        if self._core.t < self._core.end or raised is not None:
            result = self.result
            if isinstance(raised, KeyboardInterrupt):
                raise Interrupted(result.message, result) from None
            if result.status == "failed":
                raise RunError(result.message, result.reason, self._core.t, result) from raised

    def _run_at_once(self, check: bool) -> Result:
        self._core.run()
        raised = self._core.raised()
        result = self.result
        if isinstance(raised, KeyboardInterrupt):
            raise Interrupted(result.message, result) from None
        if check and result.status == "failed":
            raise RunError(result.message, result.reason, self._core.t, result) from raised
        return result

    # --- where it is

    @property
    def t(self) -> float:
        """The time it has come to."""
        return self._core.t

    @property
    def end(self) -> float:
        """How far it can go."""
        return self._core.end

    @property
    def over(self) -> bool:
        return self._core.over

    @property
    def method(self) -> str:
        return self._core.method

    def __getitem__(self, channel: str) -> float:
        """The value of a channel now; `values` reads several at once."""
        return self._value(channel)

    def values(self, channels: Iterable[str]) -> np.ndarray:
        """The values of several channels now."""
        return self._core.values(list(channels))

    @property
    def state(self) -> np.ndarray:
        """All unknowns of the equations of motion, as a copy; `state_names` says what they are."""
        return self._core.state

    @state.setter
    def state(self, x: Any) -> None:
        self._change(lambda: self._core.set_state(np.asarray(x, dtype=float)))

    @property
    def state_names(self) -> list[str]:
        return self._core.state_names

    # --- changing it

    def _change(self, change: Callable[[], bool]) -> None:
        if self._result is not None:
            raise RuntimeError("the run has been finished; start another one")
        if not change():
            self._look_for_failure()

    @property
    def inputs(self) -> MutableMapping[str, float]:
        """Inputs and states of the model by name; what is set holds until it is set again."""
        if self._inputs is None:
            names = [channel["name"] for channel in self._core.channels() if channel["group"] == "states"]
            self._inputs = _States(self, names)
        return self._inputs

    def set_inputs(self, **values: float) -> None:
        """Sets several inputs at once. Accelerations and reactions follow, and the integrator begins anew."""
        self._change(lambda: self._core.set_states({name: float(value) for name, value in values.items()}))

    def set_parameters(self, **values: Any) -> None:
        """Goes on with other values of parameters, from the state at hand made consistent.

        The model is read and compiled again; it must have the same bodies, joints and states.
        """
        changes = [(name, value if isinstance(value, str) else repr(float(value))) for name, value in values.items()]
        self._change(lambda: self._core.set_parameters(changes))
        self._advance, self._value = self._core.advance, self._core.value

    def save(self) -> _core.Snapshot:
        """A copy of where the run is."""
        return self._core.save()

    def restore(self, snapshot: _core.Snapshot) -> None:
        """Back to where it was saved; what was recorded since is taken away."""
        if self._result is not None:
            raise RuntimeError("the run has been finished; start another one")
        self._core.restore(snapshot)

    # --- the end

    @property
    def result(self) -> Result:
        """What was recorded. Ends the run where it is."""
        if self._result is None:
            if not self._core.finished:
                self._core.finish()
            self._result = Result(self._core)
        return self._result

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.result

    def __repr__(self) -> str:
        return f"<trammel.Run at t = {self.t:g} of {self.end:g}, {self.method}>"
