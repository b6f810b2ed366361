"""Derivatives of functions of NumPy arrays."""

import numpy as np
import pytest

import trammel


def curved(x):
    return np.array([x[0] * np.sin(x[1]), np.exp(x[0]), x[2] ** 3])


AT = np.array([0.7, -1.2, 2.0])
EXACT = np.array([[np.sin(-1.2), 0.7 * np.cos(-1.2), 0], [np.exp(0.7), 0, 0], [0, 0, 12.0]])


@pytest.mark.parametrize("way, accuracy", [("central", 1e-8), ("central-coloured", 1e-8), ("complex", 1e-15)])
def test_every_way_agrees(way, accuracy):
    slopes = trammel.jacobian(curved, AT, way=way)
    assert slopes.shape == (3, 3)
    np.testing.assert_allclose(slopes, EXACT, rtol=accuracy, atol=12 * accuracy)


def test_one_number_is_one_row():
    np.testing.assert_allclose(trammel.jacobian(lambda x: x @ x, [1.0, 2.0]), [[2.0, 4.0]], rtol=1e-8)


def test_other_ways_are_refused_by_name():
    with pytest.raises(ValueError, match="sparse"):
        trammel.jacobian(curved, AT, way="sparse")


def test_complex_numbers_must_come_through():
    with pytest.raises(TypeError, match="central"):
        trammel.jacobian(lambda x: np.abs(x), [1.0], way="complex")


def test_what_a_function_raises_is_raised():
    def fails(x):
        if x[0] != 1.0:
            raise KeyError("spring")
        return x

    with pytest.raises(KeyError, match="spring"):
        trammel.jacobian(fails, [1.0])
