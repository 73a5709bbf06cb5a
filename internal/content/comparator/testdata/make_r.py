"""Makes the cases in R, as make.py makes those in Python: runs each in a real kernel and writes its notebooks to corpus/NAME.

Needs Debian's r-cran-irkernel, python3-jupyter-client and python3-nbformat. From this folder:

    /usr/bin/python3 make_r.py [--into FOLDER] [--cases MODULE] [NAME...]
"""

import argparse
import datetime
import importlib
import pathlib

import nbformat
from jupyter_client.manager import start_new_kernel

KERNEL = {"name": "ir", "display_name": "R", "language": "R"}
BEFORE = "rm(list = ls())\noptions(digits = 7, jupyter.plot_mimetypes = 'image/png', repr.plot.width = 4, repr.plot.height = 3, repr.plot.res = 72)\n"


def run(client, code):
    """Returns the outputs of a cell."""
    outputs = []

    def keep(message):
        if message["header"]["msg_type"] in ("stream", "display_data", "execute_result", "error"):
            outputs.append(nbformat.v4.output_from_msg(message))

    client.execute_interactive(code, output_hook=keep, timeout=60)
    return outputs


def notebook(client, case, name):
    """Returns what a world makes of a case."""
    for output in run(client, BEFORE + case[name]):
        if output.output_type == "error":
            raise SystemExit(f"{case['name']}: {name}: {output.evalue}")
    cell = nbformat.v4.new_code_cell(case["source"], id="case", execution_count=1)
    if name != "author":
        cell.metadata["execution"] = {"iopub.execute_input": datetime.datetime.now(datetime.timezone.utc).isoformat()}
    cell.outputs = run(client, case["source"])
    return nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": KERNEL, "language_info": {"name": "R"}})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", default="corpus")
    parser.add_argument("--cases", default="cases_r")
    parser.add_argument("names", nargs="*")
    wanted = parser.parse_args()
    manager, client = start_new_kernel(kernel_name="ir")
    for case in importlib.import_module(wanted.cases).all_cases:
        if wanted.names and case["name"] not in wanted.names:
            continue
        folder = pathlib.Path(__file__).parent / wanted.into / case["name"]
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("author", "run", "again"):
            if case[name] is not None:
                nbformat.write(notebook(client, case, name), str(folder / f"{name}.ipynb"), version=nbformat.NO_CONVERT)
        verdict = f"verdict: {case['verdict']}\n" if case["verdict"] else ""
        (folder / "case.yaml").write_text(f"cause: {case['cause']}\nwant: {case['want']}\n{verdict}")
    client.stop_channels()
    manager.shutdown_kernel()


main()
