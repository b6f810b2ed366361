"""What a step from Python costs beside the step itself: `./trammel python benchmarks/python_overhead.py`."""

import time
import timeit

import trammel

model = trammel.Model(
    title="Pendulum",
    bodies={"rod": {"rod": {"from": [0, 0, 0], "to": [1, 0, 0], "mass": 1, "radius": "1 cm"}}},
    joints={"A": {"type": "revolute", "between": ["ground", "rod"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
    forces={"motor": {"type": "actuator", "joint": "A", "torque": "push"}},
    inputs={"push": 0},
    simulation={"end": 1000, "output": 1},
)


def microseconds(call, number=20000):
    """The best of several: what disturbs a measurement makes it longer."""
    return min(timeit.repeat(call, number=number, repeat=7)) / number * 1e6


def main():
    run = model.start(method="psf/radau5")
    run.advance(0.1)
    here = run.t
    print(f"advance, with nothing to do: {microseconds(lambda: run.advance(here)):8.2f} µs")
    print(f"run.t:                       {microseconds(lambda: run.t):8.2f} µs")
    print(f"run['A.angle']:              {microseconds(lambda: run['A.angle']):8.2f} µs")
    print(f"run.state:                   {microseconds(lambda: run.state):8.2f} µs")
    best = float("inf")
    for _ in range(5):
        start, begin = run.t, time.perf_counter()
        for i in range(1, 301):
            run.advance(start + i * 0.002)
        best = min(best, (time.perf_counter() - begin) / 300)
    print(f"advance by one step:         {best * 1e6:8.2f} µs")
    print(f"set_inputs:                  {microseconds(lambda: run.set_inputs(push=0.1), 100):8.2f} µs")


if __name__ == "__main__":
    main()
