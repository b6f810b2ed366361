"""How many threads share the work of a large mechanism."""

from . import _core


def set_threads(threads: int) -> None:
    """Let so many threads share the work of large mechanisms, in all runs of this process from now on.

    At first there is one for each core. Results do not depend on their number.
    """
    if threads != int(threads) or not 1 <= threads <= 256:
        raise ValueError(f"threads is {threads!r}, it must be a whole number from 1 to 256")
    _core.set_threads(int(threads))
