# Prints the version of Python, the machine's architecture, and the packages that this Python imports from.
import importlib.metadata, json, platform, re

found = {}
for one in importlib.metadata.distributions():  # in the order of imports: what comes first hides the others
    name = one.metadata["Name"]
    if name:
        found.setdefault(re.sub("[-_.]+", "-", name).lower(), one.version)
packages = sorted("%s==%s" % each for each in found.items())
print(json.dumps({"python": platform.python_version(), "machine": platform.machine(), "packages": packages}))
