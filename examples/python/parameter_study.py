"""A parameter study: the quarter car's comfort over the stiffness and damping of its suspension, on all cores."""

import pathlib
import tempfile

import trammel

model = trammel.Model(
    title="Quarter car over a step",
    parameters={"stiffness": 2e4, "damping": 1500},
    bodies={
        "wheel": {"at": [0, 0, 0.3], "mass": 40, "inertia": [1, 1, 1], "shapes": {"sphere": {"radius": 0.1}}},
        "body": {"at": [0, 0, 0.8], "mass": 300, "inertia": [10, 10, 10], "shapes": {"box": [1, 0.5, 0.2]}},
    },
    joints={
        "guide": {"type": "prismatic", "between": ["ground", "wheel"], "at": [0, 0, 0.3], "axis": [0, 0, 1]},
        "strut": {"type": "prismatic", "between": ["wheel", "body"], "at": [0, 0, 0.8], "axis": [0, 0, 1]},
    },
    forces={
        "tyre": {"type": "actuator", "joint": "guide", "force": "340*9.81 - 2e5*(displacement - 0.05*step(t, 0.5, 0, 0.6, 1))"},
        "spring": {"type": "actuator", "joint": "strut", "force": "300*9.81 - stiffness*displacement - damping*rate"},
    },
    measures={"speed": "body.velocity.z"},
    simulation={"end": 4, "output": 0.01, "rtol": 1e-6},
)


def main() -> trammel.SweepResult:
    with tempfile.TemporaryDirectory() as folder:
        result = trammel.sweep(
            model,
            {"stiffness": "1e4:4e4:5log", "damping": [500, 1000, 2000, 4000]},
            measures=["speed:rms", "strut.displacement:min", "strut.displacement:max"],
            folder=pathlib.Path(folder) / "study",
        )
    table = result.to_pandas()
    best = table["speed.rms"].idxmin()
    print(table.loc[best])
    assert len(table) == 20 and result.complete and len(result.failed) == 0
    return result


if __name__ == "__main__":
    main()
