"""Examples, notebooks and the code in the manual run."""

import json
import pathlib
import re
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).parents[2]
SCRIPTS = sorted((SOURCE / "examples/python").glob("*.py"))
NOTEBOOKS = sorted((SOURCE / "examples/python").glob("*.ipynb"))
PAGES = ["docs/python.md", "docs/sweeps.md"]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_examples_run(script):
    subprocess.run([sys.executable, script], check=True, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(notebook, tmp_path, monkeypatch):
    """All cells in their order, in one name space, as the kernel of a notebook would; what a cell ends with can be shown."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(notebook.parent))
    import ast

    names = {"__name__": "__main__"}
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, notebook.name, "exec"), names)
        if last is not None:
            shown = eval(compile(ast.Expression(last.value), notebook.name, "eval"), names)
            if hasattr(shown, "_repr_html_"):
                assert shown._repr_html_()


@pytest.mark.parametrize("page", PAGES)
def test_code_in_the_manual_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("four-bar.yaml", "quarter-car.yaml"):
        (tmp_path / name).write_text((SOURCE / "examples/models" / name).read_text())
    names = {"__name__": "__main__"}
    blocks = re.findall(r"```python\n(.*?)```", (SOURCE / page).read_text(), re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), names)
