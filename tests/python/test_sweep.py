"""Sweeps from Python and from the command line: the same points, the same rows; nothing that was finished is lost."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import trammel


def rows(folder):
    with open(os.path.join(folder, "sweep.csv"), newline="") as file:
        return list(csv.DictReader(file))


def run(program, *arguments, **more):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, **more)


@pytest.fixture
def model(tmp_path):
    (tmp_path / "model.yaml").write_text(
        """trammel: 1
title: Pendulum
parameters: {length: 1, damping: 0}
bodies:
  rod: {rod: {from: [0, 0, 0], to: [length, 0, 0], mass: 1, radius: 1 cm}}
joints:
  A: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}
forces:
  bearing: {type: actuator, joint: A, torque: -damping*rate}
simulation: {end: 1, output: 0.05, rtol: 1e-7}
"""
    )
    return tmp_path / "model.yaml"


def test_the_command_line_and_python_give_the_same_table(model, program, tmp_path):
    answer = run(
        program, "sweep", model, "--vary", "length=0.5:2:4log", "--vary", "damping=[0, 0.5]", "--measure", "A.angle",
        "--out", tmp_path / "cli", "--json", "--worst", 1,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["rows"] == 8
    result = trammel.sweep(
        str(model), {"length": "0.5:2:4log", "damping": [0, 0.5]}, measures=["A.angle"], folder=tmp_path / "python"
    )
    assert (tmp_path / "cli/sweep.csv").read_bytes() == (tmp_path / "python/sweep.csv").read_bytes()
    assert result["length"][::2] == pytest.approx(np.geomspace(0.5, 2, 4))
    # each row is what a run of its own gives
    alone = trammel.read(model, length=0.5, damping=0.5).run()
    assert result["A.angle.final"][1] == alone["A.angle"][-1]
    assert result["A.angle.max"][1] >= alone["A.angle"].max()
    for file in ("index.html", "sweep.h5", "sweep.json"):
        assert (tmp_path / "cli" / file).exists()
    worst = json.loads(answer.stdout)["worst"]
    assert (tmp_path / f"cli/worst/run-{worst[0]}/index.html").exists()


def test_points_are_drawn_by_their_seed(model, tmp_path):
    tables = [
        trammel.sweep(
            str(model), {"length": (0.5, 2), "damping": "normal(1, 0.1)"}, points="latin", count=16, seed=seed,
            measures=["A.angle:final"], folder=tmp_path / f"s{k}",
        )
        for k, seed in enumerate([7, 7, 8])
    ]  # fmt: skip
    assert np.array_equal(tables[0]["length"], tables[1]["length"])
    assert not np.array_equal(tables[0]["length"], tables[2]["length"])
    # a Latin hypercube has one point in each sixteenth
    shares = np.sort((tables[0]["length"] - 0.5) / 1.5)
    assert (np.floor(shares * 16) == np.arange(16)).all()
    assert json.loads((tmp_path / "s2/sweep.json").read_text())["request"]["seed"] == 8


def test_extremes_and_rms_are_located_between_samples(model, tmp_path):
    # twenty samples a second, and what a thousand times as many say
    coarse = trammel.sweep(str(model), {"length": [0.4]}, measures=["A.angle", "A.angle_rate"], folder=tmp_path / "coarse")
    fine = trammel.read(model, length=0.4).run(samples=20000, rtol=1e-9)
    for channel in ("A.angle", "A.angle_rate"):
        y = fine[channel]
        rms = np.sqrt(np.trapz(y**2, fine.t) / fine.t[-1])
        assert coarse[f"{channel}.max"][0] == pytest.approx(y.max(), rel=2e-3)
        assert coarse[f"{channel}.min"][0] == pytest.approx(y.min(), rel=2e-3, abs=2e-3)
        assert coarse[f"{channel}.rms"][0] == pytest.approx(rms, rel=2e-3)


def test_failed_runs_are_rows_with_their_reason(model, program, tmp_path):
    answer = run(program, "sweep", model, "--vary", "length=[1, 0, 2]", "--measure", "A.angle:max", "--out", tmp_path / "s")
    assert answer.returncode == 0
    table = rows(tmp_path / "s")
    assert [row["status"] for row in table] == ["finished", "failed", "finished"]
    assert table[1]["message"] and table[1]["A.angle.max"] == "nan"
    page = (tmp_path / "s/index.html").read_text()
    assert '"failed":[{"run":1' in page


def test_a_killed_sweep_goes_on_where_it_was(model, program, tmp_path):
    command = [program, "sweep", str(model), "--vary", "length=0.5:2:40", "--end", "10", "--measure", "A.angle", "--no-page", "--quiet"]
    assert subprocess.run([*command, "--out", tmp_path / "whole"]).returncode == 0
    process = subprocess.Popen([*command, "--out", tmp_path / "part"])
    csv_file = tmp_path / "part/sweep.csv"
    while not csv_file.exists() or csv_file.read_bytes().count(b"\n") < 12:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = csv_file.read_bytes()
    assert 12 <= before.count(b"\n") < 41
    # half a line is none
    csv_file.write_bytes(before + b"39,finish")
    assert run(program, "sweep", "--resume", tmp_path / "part", "--no-page").returncode == 0
    for file in ("sweep.csv", "sweep.h5"):
        assert (tmp_path / "part" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()


def test_a_worker_that_is_killed_costs_its_own_row(model, program, tmp_path):
    process = subprocess.Popen(
        [program, "sweep", str(model), "--vary", "length=0.5:2:4", "--end", "60", "--rtol", "1e-9",
         "--measure", "A.angle:max", "--out", tmp_path / "s", "--jobs", "1", "--no-page", "--option", "max_steps=10000000"],
    )  # fmt: skip
    children = []
    while not children and process.poll() is None:
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True).stdout.split()
        time.sleep(0.01)
    os.kill(int(children[0]), signal.SIGKILL)
    assert process.wait() == 0
    status = [row["status"] for row in rows(tmp_path / "s")]
    assert status.count("crashed") == 1 and status.count("finished") == 3
    assert "signal 9" in next(row["message"] for row in rows(tmp_path / "s") if row["status"] == "crashed")


def test_a_sweep_refuses_to_go_on_with_another_model(model, program, tmp_path):
    assert run(program, "sweep", model, "--vary", "length=1:2:3", "--out", tmp_path / "s", "--no-page").returncode == 0
    model.write_text(model.read_text().replace("mass: 1", "mass: 2"))
    answer = run(program, "sweep", "--resume", tmp_path / "s")
    assert answer.returncode == 2 and "is not what it was" in answer.stderr
    with pytest.raises(ValueError, match="is not what it was"):
        trammel.resume_sweep(tmp_path / "s")


def test_an_interrupted_sweep_leaves_all_its_rows_and_goes_on_as_it_was_begun(model, program, tmp_path):
    import h5py

    process = subprocess.Popen(
        [program, "sweep", str(model), "--vary", "length=0.5:2:200", "--end", "20", "--out", tmp_path / "s"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_for(lambda: (tmp_path / "s/sweep.csv").exists() and (tmp_path / "s/sweep.csv").read_bytes().count(b"\n") > 3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and "--resume" in said
    with h5py.File(tmp_path / "s/sweep.h5") as file:
        assert len(file["time"]) == len(rows(tmp_path / "s")) < 200
        assert file.attrs["status"] == "unfinished"
    for more in (["--rtol", "1e-3"], ["--set", "damping=1"], ["--latin", "3"], ["--method", "psf/radau5"]):
        answer = run(program, "sweep", "--resume", tmp_path / "s", *more)
        assert answer.returncode == 2 and "as it was begun" in answer.stderr


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--vary", "lenght=1:2:3"], "no parameter 'lenght'"),
        (["--vary", "length=1:2"], "a grid needs values"),
        (["--vary", "length=a:2:3"], "'a' is not a number"),
        (["--vary", "length=-1:2:3log"], "equal ratios"),
        (["--vary", "length=1:2:3", "--vary", "length=1:2:3"], "varied twice"),
        (["--vary", "length=1:2:3", "--measure", "A.angel"], "A.angel"),
        (["--vary", "length=1:2:3", "--measure", "A.angle:mean"], "not 'mean'"),
        (["--vary", "length=1:2:3", "--seed", "3"], "nothing to draw"),
        (["--vary", "length=1:2:3", "--rank", "x"], "the columns are"),
        (["--vary", "length=[1,2]", "--vary", "damping=[1]", "--list"], "takes values together"),
        ([], "at least one parameter"),
    ],
)
def test_what_makes_no_sense_is_said(model, program, tmp_path, arguments, words):
    answer = run(program, "sweep", model, *arguments, "--out", tmp_path / "s")
    assert answer.returncode == 2
    assert words in answer.stderr


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_dask_loses_nothing_when_a_worker_and_then_the_scheduler_are_killed(model, program, tmp_path):
    """Three workers, one killed in the middle, then the scheduler; --resume ends it with the table of an undisturbed one."""
    arguments = ["--vary", "length=0.5:2:40", "--end", "20", "--measure", "A.angle", "--no-page", "--quiet"]
    assert run(program, "sweep", model, *arguments, "--out", tmp_path / "whole").returncode == 0
    part = tmp_path / "part"
    file = tmp_path / "scheduler.json"
    environment = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__WORK_STEALING": "False"}
    started = []

    def start(*words):
        process = subprocess.Popen(
            [sys.executable, "-m", *words], cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        started.append(process)
        return process

    try:
        scheduler = start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
        wait_for(file.exists)
        time.sleep(0.2)
        address = json.loads(file.read_text())["address"]
        workers = [start("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard") for _ in range(3)]
        sweep = subprocess.Popen([program, "sweep", str(model), *arguments, "--out", str(part), "--scheduler", address], stderr=subprocess.PIPE, text=True)
        started.append(sweep)
        lines = lambda: (part / "sweep.csv").read_bytes().count(b"\n") if (part / "sweep.csv").exists() else 0
        wait_for(lambda: lines() > 8)
        workers[0].kill()
        here = lines()
        wait_for(lambda: lines() > here + 8)
        scheduler.kill()
        kept = lines()
        assert sweep.wait(timeout=90) != 0
        assert kept <= lines() < 41
        assert "--resume" in sweep.stderr.read()
    finally:
        for process in started:
            process.kill()
            process.wait()
    assert run(program, "sweep", "--resume", part, "--no-page").returncode == 0
    assert (part / "sweep.csv").read_bytes() == (tmp_path / "whole/sweep.csv").read_bytes()
    assert (part / "sweep.h5").read_bytes() == (tmp_path / "whole/sweep.h5").read_bytes()
