"""Derivatives of functions of NumPy arrays."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import _core


def jacobian(function: Callable[[np.ndarray], Any], x: Any, way: str = "central") -> np.ndarray:
    """The matrix of the slopes of `function` by `x`, a row for each value that it returns.

    `central` takes differences; `central-coloured` fewer of them, where entries are zero, which is found by probing with NaN;
    `complex` a step in the imaginary direction, exact to round-off for functions that complex numbers can go through.
    """
    at = np.asarray(x, dtype=float).ravel()
    value = np.atleast_1d(np.asarray(function(at.copy()), dtype=float)).ravel()
    if way == "complex":
        return _complex_step(function, at, value.size)
    return _core.jacobian(lambda y: np.atleast_1d(np.asarray(function(y), dtype=float)).ravel(), at, value.size, way)


def _complex_step(function: Callable[[np.ndarray], Any], at: np.ndarray, rows: int) -> np.ndarray:
    step = 1e-200
    slopes = np.empty((rows, at.size))
    for column in range(at.size):
        moved = at.astype(complex)
        moved[column] += 1j * step
        value = np.atleast_1d(np.asarray(function(moved))).ravel()
        if not np.iscomplexobj(value):
            raise TypeError("the function returns no complex numbers for complex arguments: take way='central'")
        slopes[:, column] = value.imag / step
    return slopes
