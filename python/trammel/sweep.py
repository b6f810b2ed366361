"""Sweeps: a model with many values of its parameters."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from . import _core
from .model import Model


class SweepResult(Mapping[str, Any]):
    """The table of a sweep: parameters and columns by their names, one value for each run, in the order of the runs."""

    def __init__(self, folder: str, table: _core.SweepTable) -> None:
        self.folder = folder
        self._table = table
        self._columns: dict[str, Any] = table.columns()

    @property
    def complete(self) -> bool:
        """Whether all runs have ended; otherwise `trammel.resume_sweep` goes on."""
        return self._table.complete()

    @property
    def failed(self) -> np.ndarray:
        """The numbers of the runs that failed; ``result["message"]`` says why."""
        good = np.array([status in ("finished", "stopped") for status in self["status"]], dtype=bool)
        return self["run"][~good]

    def __getitem__(self, name: str) -> Any:
        if name not in self._columns:
            from .result import _nearest

            raise KeyError(f"there is no column '{name}'{_nearest(name, self._columns)}")
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def to_pandas(self) -> Any:
        """The table as one of pandas, over the number of the run."""
        import pandas

        return pandas.DataFrame(self._columns).set_index("run")

    def page(self, rank: str = "") -> str:
        """Parallel coordinates, scatter, heat map."""
        return self._table.page(rank)

    def _repr_html_(self) -> str:
        page = html.escape(self.page(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:820px;border:1px solid #ccc"></iframe>'

    def __repr__(self) -> str:
        return f"<trammel.SweepResult of {len(self['run'])} runs, {len(self.failed)} failed, in {self.folder!r}>"


def _values(name: str, values: Any) -> str:
    """As `trammel sweep --vary` has it."""
    if isinstance(values, str):
        return f"{name}={values}"
    if isinstance(values, tuple) and len(values) == 2:
        return f"{name}={float(values[0])!r}:{float(values[1])!r}"
    return f"{name}=[{', '.join(repr(float(value)) for value in values)}]"


def sweep(
    model: Model | str | os.PathLike[str],
    vary: Mapping[str, Any],
    *,
    measures: Iterable[str] = (),
    points: str = "grid",
    count: int = 0,
    seed: int = 1,
    folder: str | os.PathLike[str],
    jobs: int = 0,
    timeout: float = 0.0,
    client: Any = None,
    end: float | None = None,
    output_interval: float | None = None,
    samples: int | None = None,
    method: str | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    h0: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> SweepResult:
    """Runs a model with many values of its parameters, as `trammel sweep` does (docs/sweeps.md).

    `vary` has for each parameter a list of values, or text such as ``"1e3:1e5:20log"``; for the `points` ``"latin"`` and
    ``"random"``, of which there are `count`, also a pair (lowest, highest) or ``"normal(1, 0.1)"``; ``"list"`` takes the
    values together. `measures` are channels, ``"A.angle"`` or ``"A.angle:max"``.

    Each run is a process of its own, `jobs` at a time, and each row is in `folder` as soon as its run has ended. With a
    `client` of Dask the runs are made by its workers.
    """
    request: dict[str, Any] = {
        "points": points,
        "count": count,
        "seed": seed,
        "vary": [_values(name, values) for name, values in vary.items()],
        "measures": list(measures),
        "end": end,
        "output_interval": output_interval,
        "samples": samples,
        "method": method,
        "rtol": rtol,
        "atol": atol,
        "h0": h0,
        "options": [[key, str(value)] for key, value in (options or {}).items()],
    }
    if isinstance(model, Model):
        if model._functions:
            raise ValueError("a model with Python functions as forces cannot be swept: other processes do not have them")
        request["set"] = [[name, value if isinstance(value, str) else repr(float(value))] for name, value in model._values.items()]
        request["coordinates"] = model._coordinates or ""
        if model.file is not None:
            request["model"] = model.file
        else:
            request["model"], request["text"] = model.name, model._text()[0]
    else:
        request["model"] = os.fspath(model)
    core = _core.Sweep(_core.sweep_request(json.dumps(request)))
    return _run(os.fspath(folder), _core.SweepTable.begin(os.fspath(folder), core), core, jobs, timeout, client)


def resume_sweep(
    folder: str | os.PathLike[str], *, jobs: int = 0, timeout: float = 0.0, client: Any = None
) -> SweepResult:
    """Goes on with the sweep in a folder: the runs that have no row yet. The model must be as it was."""
    folder = os.fspath(folder)
    core = _core.Sweep(_core.sweep_request_in(folder))
    return _run(folder, _core.SweepTable.go_on(folder, core), core, jobs, timeout, client)


def _run(
    folder: str, table: _core.SweepTable, core: _core.Sweep, jobs: int, timeout: float, client: Any
) -> SweepResult:
    try:
        if client is None:
            table.run(jobs, timeout)
        else:
            from .cluster import run_on_cluster

            run_on_cluster(table, core, folder, client, timeout)
    finally:
        # also of an interrupted one, which goes on by `resume_sweep`
        table.finish()
    return SweepResult(folder, table)
