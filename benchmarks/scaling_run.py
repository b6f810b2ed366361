#!/usr/bin/env python3
"""Time and memory of the whole command `trammel run`, from outside, for mechanisms of growing size.

A chain, a net with loops in space and N parallelograms, each for a few steps with all files written. The
exponents are those of a line through the last three sizes, in logarithms.

    benchmarks/scaling_run.py build/release/bin/trammel                     # 100 to 10,000 bodies
    benchmarks/scaling_run.py build/release/bin/trammel --most 100000       # some minutes, some gigabytes
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

MODELS = pathlib.Path(__file__).resolve().parent.parent / "examples" / "models"
# model, its parameter n for so many bodies, the end of the run
SUBJECTS = [
    ("chain", lambda bodies: bodies, 0.005),
    ("n-four-bar", lambda bodies: (bodies - 1) // 2, 0.02),
    ("net", lambda bodies: max(2, round((1 + math.sqrt(1 + 2 * bodies)) / 2)), 0.005),
]


def measure(program, model, n, end):
    """CPU seconds, largest memory in bytes, steps."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", str(MODELS / f"{model}.yaml"), "--set", f"n={n}", "--end", str(end), "--samples", "5",
                   "--quiet", "--out", folder]
        child = subprocess.Popen(command)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            return None
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
    return usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss, summary["statistics"]["accepted"]


def exponent(sizes, values):
    points = [(math.log(size), math.log(value)) for size, value in zip(sizes, values)][-3:]
    mean_x, mean_y = (sum(column) / len(points) for column in zip(*points))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--most", type=int, default=10000, help="bodies")
    arguments = parser.parse_args()
    sizes = [size for size in (100, 300, 1000, 3000, 10000, 30000, 100000) if size <= arguments.most]
    print("| | bodies | CPU | memory | a body | steps |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    lines = []
    for model, parameter, end in SUBJECTS:
        seen = []
        for bodies in sizes:
            found = measure(arguments.program, model, parameter(bodies), end)
            if not found:
                print(f"{model} with {bodies} bodies failed", file=sys.stderr)
                break
            seconds, memory, steps = found
            seen.append((bodies, seconds / max(steps, 1), memory))
            print(f"| {model} | {bodies} | {seconds:.2f} s | {memory / 1e6:.0f} MB | {memory / bodies / 1e3:.0f} kB | {steps} |",
                  flush=True)
        if len(seen) > 2:
            lines.append(f"{model}: time per step grows with exponent {exponent(*list(zip(*seen))[:2]):.2f}, "
                         f"memory with {exponent([s[0] for s in seen], [s[2] for s in seen]):.2f}")
    print("\n" + "\n\n".join(lines))


if __name__ == "__main__":
    main()
