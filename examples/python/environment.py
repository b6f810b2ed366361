"""An environment for reinforcement learning, with the functions of gymnasium's `Env` and without needing it."""

from __future__ import annotations

import numpy as np

import trammel
from cart_pole_lqr import cart_pole, regulator


class CartPole:
    """Observation: place and speed of the cart, angle and rate of the pole. Action: the force on the cart, within ±20 N.

    An episode begins by going back to a saved start, which costs less than assembling the model again.
    """

    channels = ["rail.displacement", "rail.displacement_rate", "hinge.angle", "hinge.angle_rate"]

    def __init__(self, tick: float = 0.02, end: float = 10.0) -> None:
        self.tick = tick
        self.run = cart_pole().start(end=end, output_interval=tick, rtol=1e-5)
        self.beginning = self.run.save()

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, dict]:
        angle = np.random.default_rng(seed).uniform(-0.1, 0.1)
        self.run.restore(self.beginning)
        # a push for one tick disturbs the pole
        self.run.set_inputs(push=50 * angle)
        self.run.advance(self.tick)
        self.ticks = 1
        return self.run.values(self.channels), {}

    def step(self, action: float) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.run.set_inputs(push=np.clip(action, -20, 20))
        self.ticks += 1
        truncated = not self.run.advance(self.ticks * self.tick)
        observation = self.run.values(self.channels)
        terminated = bool(abs(observation[2]) > 0.5 or abs(observation[0]) > 2.4)
        return observation, 1.0, terminated, truncated, {}


def main() -> list[float]:
    gain, states = regulator(cart_pole())
    environment = CartPole(end=2)
    order = [environment.channels.index(name) for name in states]
    returns = []
    for policy in ("nothing", "regulator"):
        observation, _ = environment.reset(seed=3)
        total, over = 0.0, False
        while not over:
            action = 0.0 if policy == "nothing" else -gain @ observation[order]
            observation, reward, terminated, truncated, _ = environment.step(action)
            total += reward
            over = terminated or truncated
        print(f"{policy}: {total:g} ticks, angle {observation[2]:.3f} rad")
        returns.append(total)
    assert returns[1] > returns[0]
    return returns


if __name__ == "__main__":
    main()
