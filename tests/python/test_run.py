"""Runs at once and step by step."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import trammel


def test_results_equal_those_of_the_command_line_bit_for_bit(four_bar, program, tmp_path):
    # longer than 500 steps, so that rests count
    arguments = ["--end", "40", "--rtol", "1e-9", "--samples", "400"]
    subprocess.run([program, "run", four_bar, *arguments, "--out", tmp_path / "cli", "--quiet", "--no-page"], check=True)
    result = trammel.read(four_bar).run(end=40, rtol=1e-9, samples=400)
    assert len(result.steps["t"]) > 500
    result._run.write_csv(str(tmp_path / "python.csv"), [])
    result.save(tmp_path / "python.h5")
    assert (tmp_path / "python.csv").read_bytes() == (tmp_path / "cli/results.csv").read_bytes()
    assert (tmp_path / "python.h5").read_bytes() == (tmp_path / "cli/results.h5").read_bytes()


def test_the_number_of_threads_can_be_set():
    before = trammel.threads()
    assert before >= 1
    trammel.set_threads(3)
    assert trammel.threads() == 3
    trammel.set_threads(before)
    for bad in (0, 2.5, 1000):
        with pytest.raises(ValueError, match="threads"):
            trammel.set_threads(bad)


def test_arrays_are_views_and_cannot_be_written(pendulum):
    result = pendulum.run()
    angle = result["A.angle"]
    assert angle.base is not None and not angle.flags.owndata and not angle.flags.writeable
    assert np.shares_memory(angle, result._run.arrays()["A.angle"])
    # they keep what they are views of
    del result
    assert np.isfinite(angle).all()
    with pytest.raises(ValueError):
        angle[0] = 1


def test_results_as_pandas_and_xarray(pendulum):
    result = pendulum.run()
    table = result.to_pandas()
    assert list(table.columns) == list(result) and (table.index == result.t).all()
    data = result.to_xarray(["A.angle"])
    assert data["A.angle"].attrs["unit"] == "rad" and data.attrs["method"]
    with pytest.raises(KeyError, match="did you mean 'A.angle'"):
        result["A.angel"]
    assert set(result.group("energies")) == {"energy.kinetic", "energy.potential", "energy.total"}


def test_pieces_come_to_the_same_motion(pendulum):
    whole = pendulum.run(rtol=1e-10)
    with pendulum.start(rtol=1e-10) as run:
        while run.advance(run.t + 0.1):
            pass
    assert run.result["A.angle"] == pytest.approx(whole["A.angle"], abs=1e-8)
    assert len(run.result.t) == len(whole.t)


def test_inputs_hold_until_they_are_set_again(pendulum):
    run = pendulum.start(end=1)
    assert run.inputs["push"] == 0
    run.inputs["push"] = 2.0
    run.advance(0.5)
    assert run["push"] == 2 and run["motor.torque"] == 2
    assert run.values(["push", "A.angle"])[0] == 2
    run.set_inputs(push=-1)
    run.advance(1)
    result = run.result
    # the first sample was recorded before
    assert list(result["push"][:2]) == [0, 2] and result["push"][-1] == -1
    # work of the input: torque times angle, before and after
    half = np.argmin(abs(result.t - 0.5))
    work = 2 * result["A.angle"][half] - (result["A.angle"][-1] - result["A.angle"][half])
    assert result["energy.total"][-1] - result["energy.total"][0] == pytest.approx(work, abs=1e-7)
    with pytest.raises(ValueError, match="did you mean 'push'"):
        pendulum.start().set_inputs(psuh=1)


# velocities stand behind the positions: seven numbers of the only body, or one of the only joint
@pytest.mark.parametrize("coordinates, velocities", [("cartesian", slice(7, 13)), ("joint", slice(1, 2))])
def test_states_are_set_and_made_consistent(pendulum, coordinates, velocities):
    run = pendulum.with_coordinates(coordinates).start(end=1)
    run.advance(0.3)
    state = run.state
    angle = run["A.angle"]
    names = run.state_names
    assert len(state) == len(names)
    state[velocities] = 0
    run.state = state
    assert run["A.angle"] == pytest.approx(angle, abs=1e-12)
    assert run["A.angle_rate"] == pytest.approx(0, abs=1e-12)
    assert run["energy.kinetic"] == pytest.approx(0, abs=1e-12)
    with pytest.raises(ValueError, match="entries"):
        run.state = state[:-1]


def test_a_run_goes_back_to_where_it_was_saved(pendulum):
    run = pendulum.start(end=1)
    run.advance(0.4)
    saved = run.save()
    run.inputs["push"] = 5
    run.advance(0.8)
    elsewhere = run["A.angle"]
    run.restore(saved)
    assert run.t == 0.4 and run["push"] == 0
    run.advance(0.8)
    assert run["A.angle"] != elsewhere
    straight = pendulum.start(end=1)
    straight.advance(0.4)
    straight.save()
    straight.advance(0.8)
    # to the last bit, samples too
    assert run["A.angle"] == straight["A.angle"]
    assert np.array_equal(run.result["A.angle"], straight.result["A.angle"])


def test_parameters_can_change_on_the_way(pendulum):
    run = pendulum.start(end=2)
    run.advance(1)
    run.set_parameters(damping=5)
    while run.advance(run.t + 0.5):
        pass
    result = run.result
    assert list(np.diff(result.t) > 0) == [True] * (len(result.t) - 1)
    before = result["energy.total"][result.t <= 1]
    assert np.ptp(before) < 1e-6
    assert result["energy.total"][-1] < before[0] - 1
    with pytest.raises(trammel.ModelError):
        pendulum.start().set_parameters(dampng=1)


def test_python_functions_are_forces(pendulum):
    """A spring and damper as a function gives what the model's own give."""
    own = pendulum.with_parameters()
    own.forces["coil"] = {"type": "torsion_spring", "joint": "A", "stiffness": 3, "damping": 0.4, "free_angle": 0}
    expected = own.run()
    for gradient in (None, lambda t, angle, rate: [-3, -0.4]):
        python = pendulum.with_parameters()
        python.add_force("coil", lambda t, angle, rate: -3 * angle - 0.4 * rate, of=["A.angle", "A.angle_rate"], joint="A.angle", gradient=gradient)
        result = python.run()
        assert result["A.angle"] == pytest.approx(expected["A.angle"], abs=1e-7)
        assert result["coil.torque"] == pytest.approx(-expected["coil.torque"], abs=1e-6)
        assert python.modes().modes[0].eigenvalue == pytest.approx(own.modes().modes[0].eigenvalue, rel=1e-6)


def test_a_python_force_on_a_body(pendulum):
    lifted = pendulum.with_parameters()
    lifted.add_force("lift", lambda t: (0, 0, 9.81), on="rod")
    result = lifted.run(end=1)
    # nothing is left of gravity: it does not move
    assert np.abs(result["A.angle"]).max() < 1e-9
    with pytest.raises(trammel.ModelError, match="did you mean 'rod'"):
        pendulum.add_force("wrong", lambda t: (0, 0, 0), on="rdo")
    wrong = pendulum.with_parameters()
    wrong.add_force("wrong", lambda t, x: 0.0, of=["A.angel"], joint="A.angle")
    with pytest.raises(trammel.ModelError, match="force 'wrong'.*A.angel"):
        wrong.run()


def test_what_a_function_raises_is_the_cause(pendulum):
    def burst(t, angle):
        if t > 0.5:
            raise ZeroDivisionError("burst")
        return 0.0

    pendulum.add_force("bomb", burst, of=["A.angle"], joint="A.angle")
    with pytest.raises(trammel.RunError) as caught:
        pendulum.run()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert 0 < caught.value.t <= 0.51
    assert len(caught.value.result.t) > 1


def test_events_are_recorded_stop_and_change(pendulum):
    lowest = trammel.Event("lowest", "A.angle", np.pi / 2, direction="rising")
    result = pendulum.run(end=3, events=[lowest])
    assert result.events and all(name == "lowest" for _, name in result.events)
    t = result.events[0][0]
    assert np.interp(t, result.t, result["A.angle"]) == pytest.approx(np.pi / 2, abs=1e-4)
    stopped = pendulum.run(end=3, events=[trammel.Event("there", "A.angle", 1.0, action="stop")])
    assert stopped.status == "stopped" and stopped.reason == "stopped_by_event"
    assert stopped["A.angle"][-1] == pytest.approx(1, abs=1e-7)

    def kick(t, state):
        state[:] = state  # as it is
        seen.append(t)

    seen = []
    pendulum.run(end=1, events=[trammel.Event("kick", lambda t, state: t - 0.25, change=kick)])
    assert seen == [pytest.approx(0.25, abs=1e-9)]
    with pytest.raises(ValueError, match="did you mean 'A.angle'"):
        pendulum.run(events=[trammel.Event("wrong", "A.angel")])


def test_a_failure_keeps_what_was_computed(pendulum):
    with pytest.raises(trammel.RunError) as caught:
        pendulum.run(end=2, options={"max_steps": 5})
    assert caught.value.reason == "too_many_steps"
    assert 0 < caught.value.t < 2
    assert caught.value.result.t[-1] == pytest.approx(caught.value.t)
    kept = pendulum.run(end=2, options={"max_steps": 5}, check=False)
    assert kept.status == "failed"
    with pytest.raises(ValueError, match="method"):
        pendulum.run(method="psf/nothing")


def test_other_threads_go_on_while_a_run_does(four_bar):
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    model = trammel.read(four_bar)
    thread = threading.Thread(target=tick)
    thread.start()
    before = len(ticks)
    model.run(end=20, rtol=1e-10)
    during = len(ticks) - before
    stop.set()
    thread.join()
    assert during > 5


def test_ctrl_c_keeps_what_was_computed(four_bar):
    code = f"""
import trammel
try:
    begin = trammel.Event("begin", "A.angle", 1.0, change=lambda t, state: print("on its way", flush=True))
    trammel.read({four_bar!r}).run(end=1000, samples=1000, rtol=1e-10, options={{"max_steps": 100000000}}, events=[begin])
except trammel.Interrupted as error:
    assert isinstance(error, KeyboardInterrupt)
    assert error.result.t[-1] > 0 and error.result.reason == "interrupted"
    print("kept", len(error.result.t))
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout.readline() == "on its way\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and out.startswith("kept")


def test_a_result_shows_its_page(pendulum):
    result = pendulum.run()
    assert result._repr_html_().startswith("<iframe srcdoc=")
    assert "<html" in result.page()
    assert "finished" in repr(result)
