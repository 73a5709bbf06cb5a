"""Runs the bundled notebooks and writes their outputs back: /usr/bin/python3 execute.py [NAME.ipynb ...]

For whoever changes a notebook; needs Debian's python3-nbclient, python3-ipykernel, python3-numpy,
python3-matplotlib and r-cran-irkernel. What differs between two runs, or tells of the machine, is taken out.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def main():
    here = Path(__file__).resolve().parent
    for path in [*sorted((here / "notebooks").glob("*.ipynb")), here / "first-steps" / "first-steps.ipynb"]:
        if len(sys.argv) > 1 and path.name not in sys.argv[1:]:
            continue
        book = nbformat.read(path, as_version=4)
        kernel = book.metadata.kernelspec
        NotebookClient(book, timeout=300, kernel_name=kernel.name, resources={"metadata": {"path": str(path.parent)}}).execute()
        book.metadata = {
            "kernelspec": {"display_name": kernel.display_name, "language": kernel.language, "name": kernel.name},
            "language_info": {"name": kernel.language},
        }
        for number, cell in enumerate(book.cells, 1):
            cell.id = f"cell-{number:02d}"
            cell.metadata = {"tags": cell.metadata.tags} if "tags" in cell.metadata else {}
        nbformat.validate(book)
        nbformat.write(book, path)
        print(path.name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
