"""Writes a wheel: wheel.py INDEX NAME VERSION [FIELD...] <MODULE, where a FIELD is a line of its metadata."""

import os
import sys
import zipfile

index, name, version, *fields = sys.argv[1:]
folder = os.path.join(index, name.replace("_", "-"))
os.makedirs(folder, exist_ok=True)
python = next((field.split(": ")[1] for field in fields if field.startswith("Requires-Python")), "")
file = f"{name}-{version}-py3-none-any.whl"
information = f"{name}-{version}.dist-info"
metadata = "\n".join(["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *fields, ""])
with zipfile.ZipFile(os.path.join(folder, file), "w") as wheel:
    wheel.writestr(f"{name}/__init__.py", sys.stdin.read())
    wheel.writestr(f"{information}/METADATA", metadata)
    wheel.writestr(f"{information}/WHEEL", "Wheel-Version: 1.0\nGenerator: corpus\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(f"{information}/RECORD", "")
requires = python.replace("<", "&lt;").replace(">", "&gt;")
with open(os.path.join(folder, "index.html"), "a") as page:
    page.write(f'<a href="{file}" data-requires-python="{requires}">{file}</a>\n')
