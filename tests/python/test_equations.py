"""Equations of motion as Python functions."""

import numpy as np
import pytest

import trammel


def pendulum(**more):
    return trammel.Equations(
        positions=2, holonomic=1, f=lambda p: [0.0, -9.81], g=lambda p: [p @ p - 1.0], constant_mass=True, **more
    )


def test_a_pendulum_keeps_its_length_and_energy():
    result = pendulum().run([1, 0], end=5, rtol=1e-8)
    assert result.names[:4] == ["p1", "p2", "v1", "v2"] and len(result.names) == 5
    x, y, u, v = result.x[:, :4].T
    assert np.abs(np.hypot(x, y) - 1).max() < 1e-10
    assert np.abs(0.5 * (u**2 + v**2) + 9.81 * y).max() < 1e-4
    assert not result.x.flags.owndata


def test_given_derivatives_give_the_same():
    by_differences = pendulum().run([1, 0], end=2, rtol=1e-8, output_times=np.linspace(0, 2, 21))
    given = pendulum(
        G=lambda p: [2 * p],
        gI=lambda p, v: [2 * p @ v],
        gII=lambda p, v, a: [2 * (v @ v + p @ a)],
    ).run([1, 0], end=2, rtol=1e-8, output_times=np.linspace(0, 2, 21))
    assert given.x == pytest.approx(by_differences.x, abs=1e-5)
    assert len(given.t) == 21


def test_pieces_states_and_copies():
    run = pendulum().start([1, 0], end=2, rtol=1e-9)
    run.advance(0.5)
    saved = run.save()
    run.advance(1.0)
    there = run.state
    run.restore(saved)
    assert run.t == 0.5
    run.advance(1.0)
    assert np.array_equal(run.state, there)
    # turned back: it rises as it fell
    x = run.state
    x[2:4] *= -1
    run.state = x
    run.advance(2.0)
    assert run.state[:2] == pytest.approx([1, 0], abs=1e-5)


def test_other_methods_and_their_options():
    result = pendulum().run([1, 0], end=1, method="projected/dop853", rtol=1e-9)
    reference = pendulum().run([1, 0], end=1, rtol=1e-9)
    assert result.x[-1, :4] == pytest.approx(reference.x[-1, :4], abs=1e-6)
    with pytest.raises(ValueError):
        pendulum().run([1, 0], end=1, options={"no_such_option": 1})


def test_mistakes_are_told():
    with pytest.raises(TypeError, match="no function 'F'"):
        trammel.Equations(positions=1, F=lambda p: p)
    with pytest.raises(TypeError, match="asks for 'q'"):
        trammel.Equations(positions=1, f=lambda q: q)
    with pytest.raises(ValueError, match="5 entries"):
        pendulum().run([0] * 9, end=1)

    def wrong(p):
        raise LookupError("no force")

    with pytest.raises(trammel.RunError) as caught:
        trammel.Equations(positions=1, f=wrong).run([0, 0], end=1)
    assert isinstance(caught.value.__cause__, LookupError)
    with pytest.raises(trammel.RunError, match="returned 2 numbers"):
        trammel.Equations(positions=1, f=lambda p: [1, 2]).run([0, 0], end=1)
