"""Runs a script as a notebook does, cell by cell, and shows the value of each last line: ``notebook.py SCRIPT``."""

import ast
import sys
from pathlib import Path

HEAD = "# %%"


def cells(text: str) -> list[str]:
    """The cells of code of a script whose cells begin at ``# %%``."""
    parts = text.split(f"\n{HEAD}")
    return ["\n" + part.partition("\n")[2] for part in parts if not part.lstrip().startswith((HEAD + " [markdown]", "[markdown]"))]


def run(script: Path) -> list[object]:
    """The values that the cells show."""
    shown, names = [], {"__name__": "__main__"}
    for cell in cells(script.read_text()):
        tree = ast.parse(cell, script.name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, script.name, "exec"), names)
        if last is not None:
            shown.append(eval(compile(ast.Expression(last.value), script.name, "eval"), names))
    return shown


if __name__ == "__main__":
    values = run(Path(sys.argv[1]))
    pages = [value._repr_html_() for value in values if hasattr(value, "_repr_html_")]
    assert len(pages) == 2, values
    assert "chiffre de l’hypothèse" in pages[1], pages[1]
