"""What a run leaves."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from . import _core


def _nearest(name: str, names: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, list(names), 1)
    return f" (did you mean '{near[0]}'?)" if near else ""


class Result(Mapping[str, np.ndarray]):
    """The channels of a run by their names, as NumPy arrays over `t` that are not copied and cannot be written to.

    >>> result = model.run()
    >>> result["A.angle"], result.t
    """

    def __init__(self, run: _core.Run) -> None:
        self._run = run
        self._arrays: dict[str, np.ndarray] = run.arrays()
        #: The output times.
        self.t: np.ndarray = self._arrays.pop("t")
        #: The accepted steps: their ends ``t``, sizes ``h`` and constraint violations.
        self.steps: dict[str, np.ndarray] = run.step_arrays()
        #: What `trammel run --json` prints.
        self.summary: dict[str, Any] = run.summary()
        #: Events that happened, as (time, name).
        self.events: list[tuple[float, str]] = run.events()
        #: A word for programs why it ended early: ``"none"``, ``"stopped_by_event"``, ``"newton_failed"``, ...
        self.reason: str = run.reason()

    @property
    def status(self) -> str:
        """``"finished"``, ``"stopped"`` or ``"failed"``."""
        return self.summary["status"]

    @property
    def message(self) -> str:
        return self.summary["message"]

    @property
    def channels(self) -> list[dict[str, str]]:
        """Name, group, unit and description of each channel."""
        return self._run.channels()

    @property
    def final(self) -> dict[str, float]:
        """Every channel at the end."""
        return {name: float(values[-1]) for name, values in self._arrays.items()}

    def report(self) -> str:
        """How it went, for people."""
        return self._run.report()

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self._arrays[name]
        except KeyError:
            if name == "t":
                return self.t
            raise KeyError(f"there is no channel '{name}'{_nearest(name, self._arrays)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def group(self, name: str) -> dict[str, np.ndarray]:
        """The channels of a group: ``positions``, ``joints``, ``reactions``, ``energies``, ..."""
        groups = {channel["name"]: channel["group"] for channel in self.channels}
        found = {channel: self._arrays[channel] for channel in self._arrays if groups[channel] == name}
        if not found:
            raise KeyError(f"there is no group '{name}'{_nearest(name, set(groups.values()))}")
        return found

    # --- other forms

    def to_pandas(self, channels: Iterable[str] | None = None) -> Any:
        """A table of pandas over ``t``, of all channels or of some."""
        import pandas

        names = list(self) if channels is None else list(channels)
        return pandas.DataFrame({name: self[name] for name in names}, index=pandas.Index(self.t, name="t"))

    def to_xarray(self, channels: Iterable[str] | None = None) -> Any:
        """A dataset of xarray over ``t``, with units and descriptions."""
        import xarray

        names = list(self) if channels is None else list(channels)
        facts = {channel["name"]: channel for channel in self.channels}
        data = {
            name: ("t", self[name], {key: facts[name][key] for key in ("unit", "description", "group")})
            for name in names
        }
        return xarray.Dataset(data, coords={"t": ("t", self.t, {"unit": "s"})}, attrs=self._run.metadata())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes ``.h5``, ``.csv``, ``.html`` (the page), or, without such an ending, a folder with all of them."""
        path = os.fspath(path)
        ending = os.path.splitext(path)[1]
        if ending == ".h5":
            self._run.write_hdf5(path)
        elif ending == ".csv":
            self._run.write_csv(path, [])
        elif ending == ".html":
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.page())
        elif ending:
            raise ValueError(f"'{path}': results are written as .h5, .csv or .html, or into a folder")
        else:
            os.makedirs(path, exist_ok=True)
            self._run.write_hdf5(os.path.join(path, "results.h5"))
            self._run.write_csv(os.path.join(path, "results.csv"), [])
            self._run.write_steps_csv(os.path.join(path, "steps.csv"))
            self.save(os.path.join(path, "index.html"))

    def page(self) -> str:
        """The page to look at in a browser: animation, plots, the facts. It stands alone."""
        return self._run.page()

    def _repr_html_(self) -> str:
        # a page of its own inside the notebook: its script and style do not meet the notebook's
        page = html.escape(self.page(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:1px solid #ccc"></iframe>'

    def __repr__(self) -> str:
        return f"<trammel.Result {self.status}: {len(self)} channels, {len(self.t)} samples to t = {self.t[-1]:g}>"
