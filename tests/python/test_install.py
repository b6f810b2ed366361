"""`pip install` from the source tree, without a network, into an environment that sees the system's packages."""

import os
import pathlib
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).parents[2]


@pytest.mark.skipif(
    pathlib.Path(os.environ.get("BUILD_DIR", SOURCE / "build/release")).resolve() != (SOURCE / "build/release").resolve(),
    reason="pip uses the release build",
)
def test_pip_installs_the_package(tmp_path, four_bar):
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", environment], check=True)
    command = [environment / "bin/pip", "install", "--no-build-isolation", "--no-index", "--quiet", SOURCE / "python"]
    installed = subprocess.run(command, capture_output=True, text=True)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    code = f"import trammel; print(trammel.__file__, trammel.read({four_bar!r}).run(end=0.1).status)"
    out = subprocess.run([environment / "bin/python", "-c", code], check=True, capture_output=True, text=True, env=clean, cwd=tmp_path).stdout
    assert out.startswith(str(environment)) and out.strip().endswith("finished")
    # stubs and the mark that there are some
    package = pathlib.Path(out.split()[0]).parent
    assert (package / "py.typed").exists() and (package / "_core.pyi").exists()


def test_the_package_says_what_it_does():
    import trammel

    for name in trammel.__all__:
        if not name.startswith("__"):
            assert getattr(trammel, name).__doc__, name
