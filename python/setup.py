"""`pip install --no-build-isolation ./python`: the compiled part is built by CMake, in the folder of the release build."""

import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

root = pathlib.Path(__file__).resolve().parent.parent
version = re.search(r"project\(Trammel VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text()).group(1)
(root / "build" / "pip").mkdir(parents=True, exist_ok=True)  # see setup.cfg


class CMakeBuild(build_ext):
    def build_extension(self, extension: Extension) -> None:
        # what ./trammel and ./check have built is used again, if it is there
        folder = root / "build" / "release"
        if not (folder / "build.ninja").exists() or not self._has_package(folder):
            subprocess.run(
                ["cmake", "-S", root, "--preset", "release", "-DTRAMMEL_TESTS=OFF", f"-DPython3_EXECUTABLE={self._python()}"],
                check=True,
                cwd=root,
            )
            if not self._has_package(folder):
                raise SystemExit("the package needs pybind11 and the headers of Python: apt-get install pybind11-dev python3-dev")
        subprocess.run(["cmake", "--build", folder, "--target", "trammel-python"], check=True)
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(next((folder / "python" / "trammel").glob("_core*.so")), target)

    @staticmethod
    def _has_package(folder: pathlib.Path) -> bool:
        return "trammel-python:" in subprocess.run(["ninja", "-C", folder, "-t", "targets", "all"], capture_output=True, text=True).stdout

    @staticmethod
    def _python() -> str:
        # of a virtual environment, the one that it was made from
        return getattr(sys, "_base_executable", sys.executable)


setup(version=version, ext_modules=[Extension("trammel._core", [])], cmdclass={"build_ext": CMakeBuild})
