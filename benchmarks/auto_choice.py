#!/usr/bin/env python3
"""CPU time of `method: auto` against that of the best fixed method, to an error.

For every example and published problem `trammel compare` measures how long a method needs for which error; between its
tolerances the time is interpolated (log-log). The table has the time of `auto` to an error, that of the fixed method that was fastest
to it, and their ratio.

    benchmarks/auto_choice.py build/release/bin/trammel                          # everything, some minutes
    benchmarks/auto_choice.py build/release/bin/trammel four-bar.yaml andrews    # models by their file, problems by name
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

FIXED = ["projected/dop853", "psf/radau5", "partitioned/sdirk4", "projected/adams", "projected/bdf"]
ROOT = pathlib.Path(__file__).resolve().parent.parent


def subjects(program, names):
    if names:
        return names
    models = sorted(path.name for path in (ROOT / "examples" / "models").glob("*.yaml"))
    listed = subprocess.run([program, "problem", "list", "--json"], capture_output=True, text=True, check=True)
    return models + [problem["name"] for problem in json.loads(listed.stdout)]


def compare(program, subject):
    target = str(ROOT / "examples" / "models" / subject) if subject.endswith(".yaml") else subject
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "compare", target, "--methods", ",".join(["auto"] + FIXED), "--rtol", "1e-2..1e-9",
                   "--timeout", "20", "--repeat", "3", "--quiet", "--json", "--out", folder]
        ran = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(ran.stdout)
    except json.JSONDecodeError:
        print(f"{subject}: {ran.stderr.strip()[:200]}", file=sys.stderr)
        return None


def time_to(points, wanted):
    """The least time with which this error is met, interpolated between neighbouring points."""
    points = sorted(((p["error"], p["seconds"]) for p in points if p["error"] and p["seconds"]), reverse=True)
    best = min((seconds for error, seconds in points if error <= wanted), default=None)
    for (e0, s0), (e1, s1) in zip(points, points[1:]):
        if e0 > wanted >= e1:
            share = math.log(e0 / wanted) / math.log(e0 / e1)
            between = math.exp((1 - share) * math.log(s0) + share * math.log(s1))
            best = min(best, between) if best else between
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("subjects", nargs="*")
    arguments = parser.parse_args()
    errors = [1e-3, 1e-6]
    ratios = []
    print("| | error | `auto` | fastest fixed | | ratio |\n| --- | --- | ---: | ---: | --- | ---: |")
    for subject in subjects(arguments.program, arguments.subjects):
        found = compare(arguments.program, subject)
        if not found:
            continue
        by_method = {}
        for point in found["points"]:
            by_method.setdefault(point["method"], []).append(point)
        for error in errors:
            times = {name: time_to(points, error) for name, points in by_method.items()}
            own = times.pop("auto", None)
            fixed = min(((time, name) for name, time in times.items() if time), default=None)
            if not own or not fixed:
                print(f"| {subject} | {error:.0e} | {'-' if not own else f'{1e3 * own:.2f} ms'} | - | | |")
                continue
            ratio = own / fixed[0]
            ratios.append(ratio)
            print(f"| {subject} | {error:.0e} | {1e3 * own:.2f} ms | {1e3 * fixed[0]:.2f} ms | `{fixed[1]}` | {ratio:.2f} |",
                  flush=True)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\nGeometric mean of {len(ratios)} ratios: {mean:.2f}; largest: {max(ratios):.2f}.")


if __name__ == "__main__":
    main()
