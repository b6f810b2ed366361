"""What the tests of the Python package share."""

import os
import pathlib

import pytest

import trammel

SOURCE = pathlib.Path(os.environ.get("SOURCE_DIR", pathlib.Path(__file__).parents[2]))
PROGRAM = os.environ.get("TRAMMEL", str(SOURCE / "build/release/bin/trammel"))


@pytest.fixture
def four_bar():
    return str(SOURCE / "examples/models/four-bar.yaml")


@pytest.fixture
def program():
    return PROGRAM


@pytest.fixture
def source():
    return SOURCE


@pytest.fixture
def pendulum():
    """A rod that hangs on a revolute joint, pushed along its coordinate by an input."""
    return trammel.Model(
        title="Pendulum",
        parameters={"length": 1.0, "damping": 0.0},
        bodies={"rod": {"rod": {"from": [0, 0, 0], "to": ["length", 0, 0], "mass": 1, "radius": "1 cm"}}},
        joints={"A": {"type": "revolute", "between": ["ground", "rod"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
        forces={"motor": {"type": "actuator", "joint": "A", "torque": "push - damping*rate"}},
        inputs={"push": 0},
        simulation={"end": 2, "output": 0.01, "rtol": 1e-9},
    )
