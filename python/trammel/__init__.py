"""Simulation of constrained mechanical systems.

>>> import trammel
>>> model = trammel.read("four-bar.yaml")
>>> result = model.run(end=5)
>>> result["A.angle"].max()

A model is read from a file, or built with the same words (`Model`). A run is made at once (`Model.run`) or step by step
(`Model.start`). Equations of one's own are functions of NumPy arrays (`Equations`). docs/python.md is the manual.
"""

from ._core import __version__, methods, options, threads
from ._errors import AnalysisError, Interrupted, ModelError, RunError
from .differentiation import jacobian
from .dynamics import Dynamics
from .equations import Equations, Simulation, Trajectory
from .linear import Linearization, Mode
from .model import Model, read
from .result import Result
from .real_time import RealTime
from .run import Event, Run
from .sweep import SweepResult, resume_sweep, sweep
from ._threads import set_threads

__all__ = [
    "AnalysisError",
    "Dynamics",
    "Equations",
    "Event",
    "Interrupted",
    "Linearization",
    "Mode",
    "Model",
    "ModelError",
    "Result",
    "RealTime",
    "Run",
    "RunError",
    "Simulation",
    "SweepResult",
    "Trajectory",
    "__version__",
    "jacobian",
    "methods",
    "options",
    "read",
    "resume_sweep",
    "set_threads",
    "sweep",
    "threads",
]
