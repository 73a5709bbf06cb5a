"""Makes the environment that a repository asks for: a virtual environment on top of the packages that are there. It runs as an
account of the session's owner, in a sandbox like that of a session, and never in the hub: the code of packages runs in it.

What it is asked for comes from standard input: {"lines": [as in requirements.txt], "folder": of the environment, "index": URL or
""}. It prints one object of JSON on each line: {"detail": TEXT} and {"log": TEXT} for progress, {"left": [{"what", "why"}]} for
what it couldn't install, and at its end {"done": {}} or {"failed": TEXT, "code": CODE}."""

import json
import os
import re
import subprocess
import sys
from urllib.parse import urlsplit

ATTEMPTS = 50  # each without one more package that the index lacks
LACKS = re.compile(r"^Could not find a version that satisfies the requirement (\S[^()]*?)(?: \(from ([A-Za-z0-9._-]+)\))? \(from versions:")
STEPS = ("Collecting ", "Downloading ", "Processing ", "Building wheel", "Installing ", "Preparing ", "Getting ")
NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*")


def tell(**what):
    print(json.dumps(what), flush=True)


def name_of(line):
    found = NAME.match(line)
    return re.sub(r"[-_.]+", "-", found[0]).lower() if found else ""


def split_python(lines):
    """Returns the lines for pip, and what is left out because this Python isn't the one that they ask for."""
    from pip._vendor.packaging.specifiers import InvalidSpecifier, SpecifierSet

    version, kept, left = ".".join(map(str, sys.version_info[:3])), [], []
    for line in lines:
        wanted = line[len("python"):] if re.match(r"python\s*[=<>!~]", line) else None
        try:
            if wanted is None:
                kept.append(line)
            elif not SpecifierSet(wanted).contains(version):
                left.append({"what": "Python" + wanted, "why": f"Sessions on this hub have Python {version}."})
        except InvalidSpecifier:
            left.append({"what": "Python" + wanted, "why": "The version that it asks for can't be read."})
    return kept, left


class Pip:
    """Runs pip and understands what it prints."""

    def __init__(self, folder, index):
        self.folder, self.last, self.lacking, self.full, self.away = folder, "", None, False, False
        self.environment = {
            **{name: os.environ[name] for name in ("PATH", "LANG", "HOME", "SSL_CERT_FILE") if name in os.environ},
            **{"TMPDIR": folder + "/tmp", "PIP_CONFIG_FILE": os.devnull, "PYTHONUNBUFFERED": "1", "PIP_RETRIES": "2", "PIP_TIMEOUT": "60"},
        }
        if index:
            self.environment["PIP_INDEX_URL"] = index
        if trust := os.environ.get("SSL_CERT_FILE"):
            self.environment["PIP_CERT"] = trust

    def run(self, *arguments):
        self.last, self.lacking, self.away = "", None, False
        pip = subprocess.Popen(
            [self.folder + "/bin/python", "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--cache-dir", self.folder + "/tmp/cache", "--progress-bar", "off", *arguments],
            env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip
        for line in pip.stdout:
            if line := line.strip()[:1000]:
                self.read(line)
        return pip.wait()

    def read(self, line):
        tell(log=line)
        if line.startswith("ERROR: "):
            self.last = line[7:]
            if found := LACKS.match(self.last):
                self.lacking = (found[2] or found[1], found[1])
        self.full = self.full or "No space left on device" in line or "Disk quota exceeded" in line
        self.away = self.away or "Retrying (Retry(" in line or "Max retries exceeded" in line
        if line.startswith(STEPS):
            tell(detail=line[:120])

    def failure(self):
        if self.full:
            return "The hub's disk is full, so the packages of this repository weren't installed. Tell the operators.", "disk_full"
        if self.away:
            return "The package index can't be reached, so the packages of this repository weren't installed. Try again in a while.", "index_unreachable"
        if not self.last:
            return "This repository's packages couldn't be installed. See the log.", ""
        return f"This repository's packages couldn't be installed: {self.last[:300].rstrip('.')}.", ""


def without(lines, lacking):
    """Returns the lines without the one for which the index lacks something, and what is left out; None if it is none of them."""
    root, needs = lacking
    for line in lines:
        if name_of(line) == name_of(root):
            same = name_of(needs) == name_of(root)
            why = "The package index has no version that fits." if same else f"It needs {needs[:100]}, which the package index doesn't have."
            return [one for one in lines if one is not line], {"what": line.split(" --hash=")[0], "why": why}
    return None, None


def make(asked):
    folder = asked["folder"]
    os.makedirs(folder + "/tmp", exist_ok=True)
    lines, left = split_python(asked["lines"])
    tell(detail="Making the environment")
    made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", folder], capture_output=True, text=True, errors="replace")
    if made.returncode:
        tell(log=(made.stdout + made.stderr)[-2000:])
        full = "No space left on device" in made.stderr
        return tell(failed="The hub's disk is full. Tell the operators." if full else
                    "The environment of this repository couldn't be made: the hub's image lacks Python's module venv. Tell the operators.",
                    code="disk_full" if full else "server_fault")  # fmt: skip
    pip = Pip(folder, asked["index"])
    for _ in range(ATTEMPTS):
        if not lines:
            break
        with open(folder + "/requirements.txt", "w") as file:
            file.write("\n".join(lines) + "\n")
        if pip.run("-r", folder + "/requirements.txt") == 0:
            break
        fewer, lost = without(lines, pip.lacking) if pip.lacking and not pip.away else (None, None)
        if fewer is None:
            reason, code = pip.failure()
            return tell(failed=reason, code=code)
        lines = fewer
        left.append(lost)
    else:
        return tell(failed="The package index lacks too many of the packages of this repository.", code="")
    subprocess.run(["/bin/rm", "-rf", folder + "/tmp"], check=False)
    tell(left=left)
    tell(done={"empty": not lines})


def main():
    asked = json.load(sys.stdin)
    index = asked["index"]
    if index and (urlsplit(index).scheme not in ("http", "https") or urlsplit(index).username):
        return tell(failed="The address of the package index that the hub's operators set can't be used.", code="server_fault")
    try:
        make(asked)
    except ImportError:
        tell(failed="The packages of this repository weren't installed: the hub's image lacks pip. Tell the operators.", code="server_fault")
    except OSError as problem:
        full = problem.errno in (28, 122)
        tell(failed="The hub's disk is full. Tell the operators." if full else "The environment of this repository can't be stored on the hub. Tell the operators.",
             code="disk_full" if full else "server_fault")  # fmt: skip


if __name__ == "__main__":
    main()
