"""Models stepped in real time, with inputs and outputs."""

import math

import pytest

import trammel


def pendulum():
    return trammel.Model(
        gravity=[0, -9.81, 0],
        bodies={"rod": {"rod": {"from": [0, 0, 0], "to": [1, 0, 0], "mass": 1}}},
        joints={"A": {"type": "revolute", "between": ["ground", "rod"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
        inputs={"push": 0},
        forces={"motor": {"type": "actuator", "joint": "A", "torque": "push - 0.3*rate"}},
        simulation={"end": 2},
    )


def test_a_controller_looks_and_acts_in_every_step():
    run = pendulum().real_time(rate=500)
    assert run.method == "penalty/trapezoidal"
    assert run.step_size == pytest.approx(1 / 500)
    assert dict(run.inputs) == {"push": 0}
    on = True
    while on:
        angle, rate = run.values(["A.angle", "A.angle_rate"])
        run.inputs["push"] = 0.5 * 9.81 * math.cos(angle) + 40 * (0.3 - angle) - 7 * rate
        on = run.step()
    assert run.over and run.t == 2
    assert run["A.angle"] == pytest.approx(0.3, abs=1e-3)
    assert run.times["steps"] == 1000
    assert 0 < run.times["mean"] <= run.times["worst"]
    assert run.unconverged == 0 and run.switched == 0
    assert not run.step()


def test_agrees_with_a_run_at_once():
    model = pendulum()
    run = model.real_time(rate=1000, end=1)
    while run.step():
        pass
    exact = model.run(end=1, method="psf/radau5", rtol=1e-9)
    # the trapezoidal rule at 1 ms
    assert run["A.angle"] == pytest.approx(exact["A.angle"][-1], abs=1e-5)


def test_steps_that_did_not_converge_are_told():
    run = pendulum().real_time(rate=5, iterations=1)
    while run.step():
        pass
    assert run.unconverged > 0
    assert any("did not converge" in note for note in run.notes)


def test_what_cannot_be_done_is_refused():
    model = pendulum()
    with pytest.raises(ValueError, match="cannot run in real time"):
        model.real_time(method="psf/radau5")
    with pytest.raises(ValueError, match="rate must be positive"):
        model.real_time(rate=0)
    run = model.real_time()
    with pytest.raises(ValueError, match="did you mean 'A.angle'"):
        run["A.angel"]
    with pytest.raises(ValueError, match="no input 'pull'"):
        run.inputs["pull"] = 1
    with pytest.raises(KeyError):
        run.inputs["pull"]
