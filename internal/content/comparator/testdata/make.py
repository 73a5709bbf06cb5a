"""Makes the corpus: runs each case in a real kernel and writes its notebooks to corpus/NAME.

Needs Debian's python3-ipykernel, python3-nbformat, python3-matplotlib, python3-pandas and python3-sympy. From this folder:

    python3 make.py [NAME...]

A case is one cell that two worlds ran: what differs between them is in code that runs before and isn't in the notebooks.
To add one, write same(...) or different(...) in cases.py and run this with its name. Those in R are made by make_r.py. A case can also be written by hand:
a folder with case.yaml, author.ipynb, run.ipynb and, for a second fresh run, again.ipynb.
"""

import datetime
import pathlib
import sys

import nbformat
from ipykernel.inprocess import InProcessKernelManager

import cases

HERE = pathlib.Path(__file__).parent / "corpus"
BEFORE = """%reset -f
%matplotlib inline
%config InlineBackend.figure_format = 'png'
import matplotlib, matplotlib.pyplot as plt, numpy as np, pandas as pd
matplotlib.rcdefaults()
%matplotlib inline
matplotlib.rcParams['figure.figsize'] = (4, 3)
matplotlib.rcParams['figure.dpi'] = 72
"""


def run(client, code):
    """Returns the outputs of a cell."""
    client.execute(code)
    outputs = []
    while client.iopub_channel.msg_ready():
        message = client.iopub_channel.get_msg()
        if message["header"]["msg_type"] in ("stream", "display_data", "execute_result", "error"):
            outputs.append(nbformat.v4.output_from_msg(message))
    return outputs


def notebook(client, case, name):
    """Returns what a world makes of a case."""
    for output in run(client, BEFORE + case[name]):
        if output.output_type == "error":
            sys.exit(f"{case['name']}: {name}: {output.ename}: {output.evalue}")
    cell = nbformat.v4.new_code_cell(case["source"], id="case", execution_count=1)
    if case["tags"]:
        cell.metadata["tags"] = case["tags"]
    if name != "author":
        began = datetime.datetime.now(datetime.timezone.utc).isoformat()
        cell.metadata["execution"] = {"iopub.execute_input": began}
    cell.outputs = run(client, case["source"])
    for output in cell.outputs:
        if "execution_count" in output:
            output["execution_count"] = 1
    made = nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    if name in case["edit"]:
        made = case["edit"][name](made) or made
    return made


def main(wanted):
    manager = InProcessKernelManager()
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    for case in cases.all_cases:
        if wanted and case["name"] not in wanted:
            continue
        folder = HERE / case["name"]
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("author", "run", "again"):
            if case[name] is not None:
                made = notebook(client, case, name)
                nbformat.write(made, str(folder / f"{name}.ipynb"), version=nbformat.NO_CONVERT)
        verdict = f"verdict: {case['verdict']}\n" if case["verdict"] else ""
        (folder / "case.yaml").write_text(f"cause: {case['cause']}\nwant: {case['want']}\n{verdict}")


main(sys.argv[1:])
