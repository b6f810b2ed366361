"""A pole balanced on a cart: linearised by `modes`, a linear-quadratic regulator, and the loop closed step by step."""

import numpy as np
import scipy.linalg

import trammel


def cart_pole() -> trammel.Model:
    """A pole that stands on a cart; `push` is the force on the cart."""
    return trammel.Model(
        title="Cart with pole",
        bodies={
            "cart": {"mass": 1, "inertia": [0.01, 0.01, 0.01], "shapes": {"box": [0.4, 0.2, 0.15]}, "color": "steelblue"},
            "pole": {"rod": {"from": [0, 0, 0], "to": [0, 0, 1], "mass": 0.2, "radius": "1.5 cm"}, "color": "tomato"},
        },
        joints={
            "rail": {"type": "prismatic", "between": ["ground", "cart"], "at": [0, 0, 0], "axis": [1, 0, 0]},
            "hinge": {"type": "revolute", "between": ["cart", "pole"], "at": [0, 0, 0], "axis": [0, 1, 0]},
        },
        forces={"motor": {"type": "actuator", "joint": "rail", "force": "push"}},
        inputs={"push": 0},
        simulation={"end": 8, "output": 0.02, "rtol": 1e-7},
    )


def regulator(model: trammel.Model) -> tuple[np.ndarray, list[str]]:
    """The gain K of push = -K z for the upright pole, and the names of z."""
    linear = model.modes("unstable equilibrium")
    weights = np.diag([10.0 if name.startswith("hinge") else 1.0 for name in linear.states])
    riccati = scipy.linalg.solve_continuous_are(linear.A, linear.B, weights, np.array([[0.1]]))
    return (linear.B.T @ riccati / 0.1)[0], linear.states


def main() -> trammel.Result:
    model = cart_pole()
    gain, states = regulator(model)
    print("push = -K z with z =", dict(zip(states, gain.round(2))))

    model.initial["hinge.angle"] = "15 deg"
    run = model.start()
    on = True
    while on:
        push = -gain @ run.values(states)
        run.set_inputs(push=np.clip(push, -30, 30))
        on = run.advance(run.t + 0.01)
    result = run.result
    print(f"after {result.t[-1]:g} s: angle {result['hinge.angle'][-1]:.1e} rad, cart {result['rail.displacement'][-1]:.1e} m")
    assert abs(result["hinge.angle"][-1]) < 1e-3 and abs(result["rail.displacement"][-1]) < 1e-2
    return result


if __name__ == "__main__":
    main()
