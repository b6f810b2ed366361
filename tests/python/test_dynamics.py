"""Mass matrix, bias, inverse and forward dynamics, Jacobians."""

import math

import numpy as np
import pytest

INERTIA = 1 / 3 + 0.01**2 / 4  # of the rod about its end


def test_a_pendulum_has_the_terms_of_the_textbook(pendulum):
    terms = pendulum.dynamics({"A.angle": 0.3, "A.angle_rate": 2})
    assert terms.coordinates == ["A.angle"] and terms.velocities == ["A.angle_rate"]
    assert terms.q == pytest.approx([0.3]) and terms.u == pytest.approx([2])
    assert terms.mass == pytest.approx(np.array([[INERTIA]]), rel=1e-12)
    # it turns about y, downwards from x: gravity turns it further, and a force against it holds it
    hold = -0.5 * 9.81 * math.cos(0.3)
    assert terms.gravity == pytest.approx([hold], rel=1e-12)
    assert terms.bias == pytest.approx([hold], rel=1e-12)
    assert terms.inverse([4]) == pytest.approx([4 * INERTIA + hold], rel=1e-12)
    accelerations, loops = terms.forward([1])
    assert accelerations == pytest.approx([(1 - hold) / INERTIA], rel=1e-12) and loops.size == 0
    # the middle of the rod, at half its length
    assert terms.jacobian("rod")[:, 0] == pytest.approx(
        [-0.5 * math.sin(0.3), 0, -0.5 * math.cos(0.3), 0, 1, 0], abs=1e-12
    )
    terms.set_state([0.0], [0.0])
    assert terms.gravity == pytest.approx([-0.5 * 9.81], rel=1e-12)
    with pytest.raises(ValueError, match="there are 1 accelerations, not 2"):
        terms.inverse([1, 2])
    with pytest.raises(ValueError):
        terms.jacobian("nothing")


def test_forward_dynamics_are_those_of_a_run(pendulum):
    """The rate of a run changes as forward dynamics say."""
    run = pendulum.start(end=1, rtol=1e-10)
    step = 1e-3
    run.advance(0.5 - step)
    before = run["A.angle_rate"]
    run.advance(0.5)
    terms = pendulum.dynamics({"A.angle": run["A.angle"], "A.angle_rate": run["A.angle_rate"]})
    (acceleration,), _ = terms.forward([0.0])
    run.advance(0.5 + step)
    assert (run["A.angle_rate"] - before) / (2 * step) == pytest.approx(acceleration, abs=1e-3)
