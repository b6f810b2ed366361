"""Optimisation with scipy: how long must the rod of a pendulum be to swing in two seconds?"""

import numpy as np
import scipy.optimize

import trammel

model = trammel.Model(
    title="Pendulum of adjustable length",
    parameters={"length": 1.0},
    bodies={"rod": {"rod": {"from": [0, 0, 0], "to": [0, 0, "-length"], "mass": 1, "radius": "5 mm"}}},
    joints={
        "A": {"type": "revolute", "between": ["ground", "rod"], "at": [0, 0, 0], "axis": [0, 1, 0], "initial": {"angle": 0.1}}
    },
    simulation={"end": 6, "output": 0.05, "rtol": 1e-9},
)


def period(length: float) -> float:
    """Twice the time between two passages through the lowest point, each found as an event."""
    passages = trammel.Event("lowest", "A.angle")
    result = model.with_parameters(length=length).run(events=[passages])
    times = [t for t, _ in result.events]
    return 2 * float(np.mean(np.diff(times)))


def main() -> float:
    solution = scipy.optimize.brentq(lambda length: period(length) - 2.0, 0.5, 3.0, xtol=1e-6)
    # small swings of a thin rod: T = 2π √(2 l / 3 g); at 0.1 rad it is longer by 1/16 of the square of the angle
    expected = 1.5 * 9.81 * (2.0 / (1 + 0.1**2 / 16) / (2 * np.pi)) ** 2
    print(f"length {solution:.5f} m; small swings: {expected:.5f} m")
    assert abs(solution - expected) < 1e-3
    return solution


if __name__ == "__main__":
    main()
