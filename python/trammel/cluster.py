"""The runs of a sweep on a cluster of Dask: each row comes back to the one who asked, who writes it at once.

``python3 -m trammel.cluster FOLDER tcp://...`` makes the runs that are missing in a folder; `trammel sweep --scheduler`
calls it.
"""

from __future__ import annotations

import argparse
import functools
import queue
import sys
import time
import uuid
from typing import Any

from . import _core


class ClusterLost(RuntimeError):
    """The scheduler does not answer any more. What was finished is in the table."""


@functools.lru_cache(maxsize=4)
def _sweep(request: str, facts: str) -> _core.Sweep:
    """On a worker: the sweep, which must be the same there, with the same version and the same files."""
    sweep = _core.Sweep(request)
    sweep.check_same(facts)
    return sweep


def _row(request: str, facts: str, run: int, timeout: float) -> str:
    return _sweep(request, facts).run(run, timeout)


def run_on_cluster(
    table: _core.SweepTable, core: _core.Sweep, folder: str, client: Any, timeout: float = 0.0, patience: float = 10.0
) -> None:
    """Makes the missing runs. Raises `ClusterLost` if nobody has answered for `patience` seconds.

    A worker that is killed loses nothing: Dask gives its runs to others.
    """
    request, facts = _core.sweep_request_in(folder), core.facts()
    mark = uuid.uuid4().hex[:8]
    futures = [
        client.submit(_row, request, facts, run, timeout, key=f"trammel-{mark}-{run}", pure=False, retries=2)
        for run in table.missing()
    ]
    ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
    for future in futures:
        future.add_done_callback(ended.put)
    left = len(futures)
    unheard = time.monotonic()
    while left > 0:
        try:
            future = ended.get(timeout=0.5)
        except queue.Empty:
            if client.status == "running":
                unheard = time.monotonic()
            elif time.monotonic() - unheard > patience or client.status == "closed":
                raise ClusterLost("the scheduler does not answer any more; what was finished is in the table") from None
            continue
        left -= 1
        if future.status == "finished":
            table.add(future.result())
        elif future.status == "error":
            raise future.exception()
        else:  # cancelled: the scheduler is gone, or somebody ended the work
            raise ClusterLost(f"a run was {future.status}; what was finished is in the table")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m trammel.cluster", description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("scheduler")
    parser.add_argument("--timeout", type=float, default=0.0)
    arguments = parser.parse_args()
    try:
        from distributed import Client
    except ImportError:
        print("error: --scheduler needs Dask (Debian: python3-distributed)", file=sys.stderr)
        return 2
    try:
        client = Client(arguments.scheduler, timeout="10s")
    except (OSError, ValueError) as error:
        print(f"error: no scheduler answers at {arguments.scheduler}: {error}", file=sys.stderr)
        return 2
    core = _core.Sweep(_core.sweep_request_in(arguments.folder))
    table = _core.SweepTable.go_on(arguments.folder, core)
    # by the name under which workers find it
    from trammel import cluster

    try:
        cluster.run_on_cluster(table, core, arguments.folder, client, arguments.timeout)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # whatever it is, the rows are there
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        if client.status == "running":
            client.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
