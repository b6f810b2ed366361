"""Models: read, built, checked, analysed; what is wrong has a place."""

import math

import numpy as np
import pytest

import trammel


def test_a_model_is_read_with_its_names(four_bar):
    model = trammel.read(four_bar)
    assert model.title == "Four-bar linkage"
    assert model.body_names == ["crank", "coupler", "rocker"]
    assert model.joint_names == ["A", "B", "C", "D"]


def test_the_words_of_the_file_build_the_same_model(four_bar):
    built = trammel.Model(
        title="Four-bar linkage",
        gravity=[0, -9.81, 0],
        bodies={
            "crank": {"rod": {"from": [0, 0, 0], "to": [0, 1, 0], "mass": 1, "radius": 0.03}},
            "coupler": {"rod": {"from": [0, 1, 0], "to": [2, 2, 0], "mass": 2, "radius": 0.03}},
            "rocker": {"rod": {"from": [2, 2, 0], "to": [2, 0, 0], "mass": 2, "radius": 0.03}},
        },
        simulation={"end": 10, "output": 0.02, "rtol": 1e-8, "atol": 1e-10},
    )
    for name, between, at in [
        ("A", ["ground", "crank"], [0, 0, 0]),
        ("B", ["crank", "coupler"], np.array([0, 1, 0])),
        ("C", ["coupler", "rocker"], (2, 2, 0)),
        ("D", ["rocker", "ground"], [2.0, 0, 0]),
    ]:
        built.joints[name] = {"type": "revolute", "between": between, "at": at, "axis": [0, 0, 1]}
    built.joints["A"]["initial"] = {"angle_rate": 3}
    read = trammel.read(four_bar)
    one, other = built.run(end=1), read.run(end=1)
    assert list(one) == list(other)
    for channel in one:
        assert np.array_equal(one[channel], other[channel]), channel


def test_parameters_take_numbers_and_expressions(pendulum):
    assert pendulum.with_parameters(length=2).values["length"] == 2
    assert pendulum.with_parameters(length="50 cm").values["length"] == 0.5
    assert pendulum.values["length"] == 1


def test_errors_of_files_have_file_line_and_column(tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text("trammel: 1\nbodies:\n  rod: {mass: -1}\n")
    with pytest.raises(trammel.ModelError) as caught:
        trammel.read(file)
    assert caught.value.file == str(file)
    assert caught.value.line == 3
    assert caught.value.column == 15 and "mass" in str(caught.value)


def test_errors_of_built_models_have_their_path(pendulum):
    pendulum.joints["A"]["between"] = ["ground", "rdo"]
    with pytest.raises(trammel.ModelError) as caught:
        pendulum.check()
    assert caught.value.path == "joints.A.between"
    assert "did you mean 'rod'" in str(caught.value)


def test_what_yaml_cannot_hold_is_refused_with_its_path(pendulum):
    pendulum.bodies["rod"]["rod"]["mass"] = math.nan
    with pytest.raises(ValueError, match="bodies.rod.rod.mass"):
        pendulum.check()
    with pytest.raises(TypeError, match="no section 'body'"):
        trammel.Model(body={})


def test_check_assemble_and_equilibrium(pendulum):
    found = pendulum.check()
    assert found["degrees_of_freedom"] == 1
    assert pendulum.assemble()["assembled"]
    rest = pendulum.equilibrium()
    assert rest["stability"] == "stable"
    # it hangs: the middle of the rod is half its length below the joint
    assert rest["bodies"]["rod"]["position"][2] == pytest.approx(-0.5, abs=1e-8)
    assert "trammel: 1" in rest["text"]


def test_what_cannot_be_assembled_is_an_error():
    model = trammel.Model(
        bodies={"rod": {"rod": {"from": [0, 0, 0], "to": [1, 0, 0], "mass": 1, "radius": 0.01}}},
        joints={
            "A": {"type": "revolute", "between": ["ground", "rod"], "at": [0, 0, 0], "axis": [0, 1, 0]},
            "far": {"type": "distance", "between": ["ground", "rod"], "from": [0, 0, 0], "to": [1, 0, 0], "length": 5},
        },
    )
    with pytest.raises(trammel.AnalysisError) as caught:
        model.assemble()
    assert caught.value.reason


def test_modes_are_those_of_the_textbook(pendulum):
    linear = pendulum.modes()
    # a rod of length l about its end: (radius² / 4 + l² / 3) m, at a distance of l / 2
    inertia = 0.01**2 / 4 + 1 / 3
    frequency = math.sqrt(9.81 * 0.5 / inertia) / (2 * math.pi)
    assert linear.modes[0].frequency_hz == pytest.approx(frequency, rel=1e-9)
    # the input is a column of B and no state: it turns the joint against its inertia
    assert linear.inputs == ["push"]
    assert len(linear.states) == 2
    assert linear.B[:, 0] == pytest.approx([0, 1 / inertia], rel=1e-9)
    assert len(linear.modes) == 1
    upright = pendulum.with_parameters()
    upright.initial["A.angle"] = "-90 deg"
    assert max(mode.eigenvalue.real for mode in upright.modes("unstable equilibrium").modes) > 0
    with pytest.raises(ValueError, match="'at' is"):
        pendulum.modes("somewhere")


def test_saved_models_are_read_again(pendulum, tmp_path):
    pendulum.save(tmp_path / "pendulum.yaml")
    again = trammel.read(tmp_path / "pendulum.yaml")
    assert again.run()["A.angle"] == pytest.approx(pendulum.run()["A.angle"], abs=1e-9)
