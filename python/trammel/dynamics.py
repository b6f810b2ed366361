"""The equations of motion in joint coordinates, term by term, as robots are controlled by them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core


class Dynamics:
    """M(q) u' + c(q, u) = Q + τ - Dᵀλ, with q and u those of the joints of a tree; `Model.dynamics` makes one.

    Actuators and drivers of the model are left out: what they have to do is τ. D belongs to joints that close loops.
    """

    def __init__(self, core: _core.Dynamics) -> None:
        self._core = core

    def set(self, at: Mapping[str, float] | None = None, t: float = 0.0) -> None:
        """The state with these coordinates and rates, assembled: ``{"A.angle": 0.3, "A.angle_rate": 1}``."""
        self._core.set_named({name: float(value) for name, value in (at or {}).items()}, float(t))

    def set_state(self, q: Any, u: Any, t: float = 0.0) -> None:
        """The state with all coordinates and velocities, taken as they are."""
        self._core.set_state(np.asarray(q, dtype=float), np.asarray(u, dtype=float), float(t))

    @property
    def q(self) -> np.ndarray:
        return self._core.q

    @property
    def u(self) -> np.ndarray:
        return self._core.u

    @property
    def coordinates(self) -> list[str]:
        """The names of q."""
        return self._core.coordinates

    @property
    def velocities(self) -> list[str]:
        """The names of u."""
        return self._core.velocities

    @property
    def mass(self) -> np.ndarray:
        """M."""
        return self._core.mass()

    @property
    def bias(self) -> np.ndarray:
        """c: what Coriolis, centrifugal and gravity forces ask for."""
        return self._core.bias()

    @property
    def gravity(self) -> np.ndarray:
        """Of c, what gravity asks for."""
        return self._core.gravity()

    @property
    def own_forces(self) -> np.ndarray:
        """Q: springs, dampers, friction and contacts of the model."""
        return self._core.own_forces()

    @property
    def loop_jacobian(self) -> np.ndarray:
        """D."""
        return self._core.loop_jacobian()

    @property
    def loop_drift(self) -> np.ndarray:
        """γ of D u' = -γ."""
        return self._core.loop_drift()

    def inverse(self, accelerations: Any) -> np.ndarray:
        """τ for accelerations u', loops open."""
        return self._core.inverse(np.asarray(accelerations, dtype=float))

    def forward(self, forces: Any) -> tuple[np.ndarray, np.ndarray]:
        """u' for forces τ, loops closed, and λ."""
        return self._core.forward(np.asarray(forces, dtype=float))

    def jacobian(self, point: str) -> np.ndarray:
        """Of the velocity of a marker or a body's origin, and of its angular velocity, in world axes, by u: 6 rows."""
        return self._core.jacobian(point)
