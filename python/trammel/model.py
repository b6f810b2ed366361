"""Models: read from files, or built with the same words."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import _core, _description
from ._errors import AnalysisError, ModelError
from .dynamics import Dynamics
from .linear import Linearization
from .real_time import RealTime
from .result import Result
from .run import Event, Run

_sections = (
    "parameters tables bodies markers joints couplers drivers forces roads states inputs measures initial simulation view"
).split()

#: A value of a parameter: a number, or an expression with units, such as "30 deg".
Value = "float | str"


def _parameters(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(name, value if isinstance(value, str) else repr(float(value))) for name, value in values.items()]


class Model:
    """A mechanism, and what to do with it.

    ``Model(bodies={...}, joints={...}, ...)`` takes the sections of a model file as keyword arguments, with the same words
    (docs/model-files.md); `trammel.read` takes a file. Sections can be filled afterwards, as dicts::

        model = trammel.Model(title="Pendulum")
        model.bodies["rod"] = {"rod": {"from": [0, 0, 0], "to": [1, 0, 0], "mass": 1, "radius": "1 cm"}}
        model.joints["A"] = {"type": "revolute", "between": ["ground", "rod"], "at": [0, 0, 0], "axis": [0, 1, 0]}

    What is wrong in it is raised as `ModelError`, when it is first used.
    """

    parameters: dict[str, Any]
    tables: dict[str, Any]
    bodies: dict[str, Any]
    markers: dict[str, Any]
    joints: dict[str, Any]
    couplers: dict[str, Any]
    drivers: dict[str, Any]
    forces: dict[str, Any]
    roads: dict[str, Any]
    states: dict[str, Any]
    inputs: dict[str, Any]
    measures: dict[str, Any]
    initial: dict[str, Any]
    simulation: dict[str, Any]
    view: dict[str, Any]

    def __init__(self, *, title: str = "", gravity: Sequence[Any] | None = None, name: str = "model", **sections: Any) -> None:
        self.title = title
        self.gravity = gravity
        self.name = name
        self._file: str | None = None
        self._coordinates: str | None = None
        self._values: dict[str, Any] = {}
        self._functions: list[dict[str, Any]] = []
        self._compiled: tuple[str, _core.Model] | None = None
        self._more = {key: sections.pop(key) for key in ("include", "urdf", "repeat") if key in sections}
        for section in _sections:
            setattr(self, section, dict(sections.pop(section, {})))
        if sections:
            raise TypeError(f"a model has no section '{next(iter(sections))}'; it has {', '.join(_sections)}")

    # --- what it is made of

    def _text(self) -> tuple[str, list[str]]:
        description: dict[str, Any] = {"trammel": 1}
        if self.title:
            description["title"] = self.title
        if self.gravity is not None:
            description["gravity"] = self.gravity
        for section in _sections:
            if getattr(self, section):
                description[section] = getattr(self, section)
        description.update(self._more)
        return _description.write(description)

    @property
    def _core_model(self) -> _core.Model:
        """Compiled, again if a section has changed since."""
        parameters = _parameters(self._values)
        if self._file is not None:
            if self._compiled is None:
                self._compiled = ("", self._with_functions(_core.Model.read(self._file, parameters)))
            return self._compiled[1]
        text, paths = self._text()
        if self._compiled is None or self._compiled[0] != text:
            try:
                compiled = _core.Model.parse(text, self.name, parameters)
            except ModelError as error:
                if error.file != self.name or not 0 < error.line <= len(paths):
                    raise
                raise ModelError(error.message, path=paths[error.line - 1]) from None
            self._compiled = (text, self._with_functions(compiled))
        return self._compiled[1]

    def _with_functions(self, compiled: _core.Model) -> _core.Model:
        if self._coordinates is not None:
            compiled.set_coordinates(self._coordinates)
        for function in self._functions:
            compiled.add_force(**function)
        return compiled

    def text(self) -> str:
        """The model as a model file: repeated blocks, included files and expressions written out."""
        return self._core_model.text()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes `text` into a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text())

    @property
    def file(self) -> str | None:
        """The file it was read from, or None."""
        return self._file

    @property
    def values(self) -> dict[str, float]:
        """All parameters with their values."""
        return self._core_model.parameters

    @property
    def body_names(self) -> list[str]:
        """The bodies without the ground, those of repeated blocks, included files and robots too."""
        return self._core_model.bodies

    @property
    def joint_names(self) -> list[str]:
        return self._core_model.joints

    @property
    def input_names(self) -> list[str]:
        """Numbers that whoever steps a run may set (`Run.inputs`)."""
        return self._core_model.inputs

    @property
    def warnings(self) -> list[str]:
        """What the model asks for and will not get."""
        return self._core_model.warnings

    def with_parameters(self, **values: Any) -> Model:
        """The same model with other values of parameters: numbers, or expressions such as ``"30 deg"``."""
        other = Model.__new__(Model)
        other.__dict__.update(self.__dict__)
        other._values = {**self._values, **values}
        other._functions = list(self._functions)
        other._compiled = None
        for section in _sections:
            setattr(other, section, dict(getattr(self, section)))
        return other

    def with_coordinates(self, coordinates: str) -> Model:
        """The same model in ``"cartesian"``, ``"joint"`` or ``"auto"`` coordinates, the default."""
        other = self.with_parameters()
        other._coordinates = coordinates
        return other

    def add_force(
        self,
        name: str,
        function: Callable[..., Any],
        *,
        of: Iterable[str] = (),
        joint: str = "",
        on: str = "",
        at: Sequence[float] = (0.0, 0.0, 0.0),
        gradient: Callable[..., Any] | None = None,
    ) -> None:
        """Adds a force that is a Python function of the time and of quantities: ``function(t, *values)``.

        `of` are their names, as laws in a model file use them: ``"A.angle"``, ``"A.angle_rate"``, ``"P.velocity.x"``.
        `joint` is a coordinate of a joint, ``"A.angle"``, along which the number that the function returns acts; or `on`
        is a body, on which the three components that it returns act, in world axes, at the point `at` of its frame.

        The function is evaluated whenever forces are, and must be smooth. Its derivatives by the quantities are found by
        differences, unless `gradient` returns them (one row for each component).
        """
        force: dict[str, Any] = {
            "name": name,
            "function": function,
            "quantities": list(of),
            "coordinate": joint,
            "on": on,
            "at": [float(x) for x in at],
            "gradient": gradient,
        }
        self._core_model.add_force(**force)
        self._functions.append(force)

    # --- what can be asked of it

    def check(self) -> dict[str, Any]:
        """What `trammel check` finds: degrees of freedom, redundant equations, eigenvalues, a method."""
        return self._core_model.check()

    def assemble(self) -> dict[str, Any]:
        """The model with all joints closed: coordinates, places, reactions, and the model file as ``"text"``."""
        return _succeeded(self._core_model.assemble())

    def equilibrium(self, time: float = 0.0, allow_unstable: bool = False) -> dict[str, Any]:
        """Where it comes to rest: coordinates, places, reactions, stability, and the model there as ``"text"``."""
        return _succeeded(self._core_model.equilibrium(float(time), allow_unstable))

    def modes(
        self, at: str = "equilibrium", inputs: Iterable[str] = (), outputs: Iterable[str] = ()
    ) -> Linearization:
        """Small motions: A, B, C, D, and modes with their frequencies and damping.

        `at` is ``"equilibrium"``, ``"unstable equilibrium"`` (the one nearest to the initial position, such as a pendulum
        upright) or ``"start"``. `inputs` are those of the model, actuators or joint coordinates; `outputs` measures,
        joint coordinates and their rates.
        """
        return Linearization(**self._core_model.linearize(at, list(inputs), list(outputs)))

    def dynamics(self, at: Mapping[str, float] | None = None, t: float = 0.0) -> Dynamics:
        """Mass matrix, bias, inverse and forward dynamics and Jacobians in joint coordinates, at a state."""
        dynamics = Dynamics(_core.Dynamics(self._core_model))
        dynamics.set(at, t)
        return dynamics

    def start(
        self,
        *,
        end: float | None = None,
        output_interval: float | None = None,
        samples: int | None = None,
        method: str | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        h0: float | None = None,
        options: Mapping[str, Any] | None = None,
        events: Iterable[Event] = (),
    ) -> Run:
        """A run to be advanced piece by piece. The arguments are those of `run`."""
        run = self._run(locals())
        run._start()
        return run

    def real_time(
        self,
        *,
        rate: float = 1000,
        iterations: int = 4,
        end: float | None = None,
        method: str | None = None,
        rtol: float | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> RealTime:
        """The model to be stepped `rate` times a second, with at most so many iterations in a step.

        The method is `penalty/trapezoidal` unless another of second order is named, here or in the model.
        """
        words = {name: str(value) for name, value in (options or {}).items()}
        return RealTime(_core.RealTime(self._core_model, rate, iterations, end, method, rtol, words))

    def run(
        self,
        *,
        end: float | None = None,
        output_interval: float | None = None,
        samples: int | None = None,
        method: str | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        h0: float | None = None,
        options: Mapping[str, Any] | None = None,
        events: Iterable[Event] = (),
        check: bool = True,
    ) -> Result:
        """Simulates the model, as `trammel run` does, to the last bit. What is not given is as the model says.

        A run that fails raises `RunError`, which has what was computed as its `result`; with ``check=False`` that is
        returned. Ctrl-C raises `Interrupted`, which has it too.
        """
        return self._run(locals())._run_at_once(check)

    def _run(self, arguments: dict[str, Any]) -> Run:
        wanted = {key: arguments[key] for key in ("end", "output_interval", "samples", "method", "rtol", "atol", "h0")}
        wanted["options"] = dict(arguments["options"] or {})
        return Run(_core.Run(self._core_model, wanted, [event._core for event in arguments["events"]]))

    def __repr__(self) -> str:
        words = self.title or self._file or self.name
        return f"<trammel.Model {words!r}>"


def _succeeded(report: dict[str, Any]) -> dict[str, Any]:
    if report["status"] == "failed":
        raise AnalysisError(report["message"], report.get("reason", ""))
    return report


def read(path: str | os.PathLike[str], **parameters: Any) -> Model:
    """Reads a model file (YAML) or a robot (URDF), with other values of parameters if they are given."""
    model = Model()
    model._file = os.fspath(path)
    model._values = parameters
    model.title = model._core_model.title
    return model
