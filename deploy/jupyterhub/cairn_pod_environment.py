"""The environments that repositories ask for, on Kubernetes: each is made in the pod of the session that needs it first, by an
init container that has the image of the session and no other rights. All of it is on the volume that the hub and the pods share:

    <root>/.people/<digest of the user's name>/<digest of the packages>/environment   made by the init container
    <root>/.people/<digest of the user's name>/<digest of the packages>/job           what it runs and is asked for, read-only there
    <root>/.people/<digest of the user's name>/<digest of the packages>/said/lines    what it says; the hub follows it
    <root>/.people/<digest of the user's name>/<digest of the packages>/left.json     what couldn't be installed; without it, the
                                                                                      environment isn't whole

Only that init container can write to an environment, only before left.json is there, and it has ended when Jupyter starts. Jupyter's
container and those of the same person's other sessions see it read-only, those of other people never. The hub opens what is in
job and left.json, which no pod can change, and said/lines, which it doesn't believe."""

import asyncio
import contextlib
import hashlib
import json
import os
import shutil
import stat
import uuid

from cairn_agent import Refused
from cairn_box import LOG_BYTES, size_of
from cairn_pod import FAULT, MEMORY, beyond, lacks_program

FOLDER = ".people"
INSIDE = "/session/environments/"
REMOVED = ".removed-"  # begins the names of folders of the root that the agent deletes
SECONDS = 1800  # for an installation that makes progress
LINES = 500
HERE = os.path.dirname(os.path.abspath(__file__))
CONTAINER = "cairn-environment"
MAKE = "exec python3 -I -B /session/job/cairn_environment.py < /session/job/asked.json > /session/said/lines 2>&1"
LINE_BYTES = 64 << 10
busy = {}  # by folder: the lock of whoever makes it


class PodEnvironment:
    """One environment, from a session's point of view."""

    def __init__(self, decided, owner, lines, image):
        self.decided, self.lines, self.said = decided, lines, {"left": []}
        self.own = os.path.join(decided.root, FOLDER, hashlib.sha256(owner.encode()).hexdigest())
        # What the packages depend on: their list, the index, and all that is below them.
        self.key = hashlib.sha256(json.dumps([2, lines, decided.pip_index_url, image]).encode()).hexdigest()
        self.kept, self.inside = os.path.join(self.own, self.key), INSIDE + self.key
        self.lock = busy.setdefault(self.kept, asyncio.Lock())
        self.turn = False
        self.read, self.rest = 0, b""

    def left(self):
        """Returns what couldn't be installed; None if the environment isn't whole."""
        try:
            with open(self.kept + "/left.json") as file:
                return json.load(file)
        except FileNotFoundError:
            return None

    def source(self, part):
        return os.path.relpath(os.path.join(self.kept, part), self.decided.root)

    async def lay(self):
        """Makes the folders of an environment that isn't there yet."""
        for folder in (os.path.dirname(self.own), self.own):
            os.makedirs(folder, mode=0o711, exist_ok=True)
        await self.clear()
        for part in ("", "/environment", "/job", "/said"):
            os.mkdir(self.kept + part)
            os.chmod(self.kept + part, 0o755)
        shutil.copyfile(os.path.join(HERE, "cairn_environment.py"), self.kept + "/job/cairn_environment.py")
        with open(self.kept + "/job/asked.json", "x") as file:
            json.dump({"lines": self.lines, "folder": self.inside, "index": self.decided.pip_index_url}, file)

    async def clear(self):
        """Removes what isn't whole, also of a hub that ended in the middle."""
        with contextlib.suppress(FileNotFoundError):
            os.rename(self.kept, os.path.join(self.decided.root, REMOVED + uuid.uuid4().hex))  # at once: a pod may still write

    def container(self):
        """Returns what the init container has besides the image and the limits of the session."""
        return {
            "name": CONTAINER, "command": ["/bin/sh", "-c", MAKE], "env": [{"name": "HOME", "value": self.inside}, {"name": "LANG", "value": "C.UTF-8"}],
            "volumeMounts": [
                {"name": "cairn-work", "mountPath": self.inside, "subPath": self.source("environment")},
                {"name": "cairn-work", "mountPath": "/session/said", "subPath": self.source("said")},
                {"name": "cairn-work", "mountPath": "/session/job", "subPath": self.source("job"), "readOnly": True},
            ],
        }  # fmt: skip

    def mounts(self, session):
        """Returns what Jupyter's container sees: the environment, and the folder in which it finds the kernel."""
        return [
            {"name": "cairn-work", "mountPath": self.inside, "subPath": self.source("environment"), "readOnly": True},
            {"name": "cairn-work", "mountPath": "/session/jupyter", "subPath": session + "/jupyter", "readOnly": True},
        ]

    def kernel(self):
        """Returns the description of its kernel, for an image whose programs may be anywhere."""
        return {
            "argv": [self.inside + "/bin/python", "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Python 3 (packages of the repository)",
            "language": "python", "metadata": {"debugger": True}, "env": {"PATH": self.inside + "/bin:${PATH}", "VIRTUAL_ENV": self.inside},
        }  # fmt: skip

    def follow(self, launch):
        """Takes what the init container has said since."""
        try:
            handle = os.open(self.kept + "/said/lines", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return  # it hasn't begun, or put something else there
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return
            file.seek(self.read)
            part = file.read(4 * LINE_BYTES)
        self.read += len(part)
        *lines, self.rest = (self.rest + part).split(b"\n")
        self.rest = self.rest[-LINE_BYTES:]
        for line in lines:
            try:
                news = json.loads(line)
            except ValueError:
                launch.log = (launch.log + line[:1000].decode("utf-8", "replace") + "\n")[-LOG_BYTES:]
                continue
            if isinstance(news, dict):
                hear(launch, self.said, news)

    def settle(self, launch, state, image, memory):
        """Takes how the init container ended: the environment is whole, or the launch is refused."""
        while (before := self.read, self.follow(launch)) and self.read > before:
            pass
        ended = state.get("terminated") or {}
        if ended.get("reason") == "OOMKilled":
            raise Refused(f"The installation of this repository's packages was ended because it used {beyond(memory)}.", code=MEMORY)
        if lacks_program(ended):
            raise Refused(f"The packages of this repository weren't installed: the image {image} lacks Python, or a shell. Tell the operators.", code=FAULT)
        if ended.get("exitCode", 1) or "done" not in self.said:
            raise refusal(self.said)
        with open(self.kept + "/left.json", "x") as file:
            json.dump(self.said["left"], file)


def hear(launch, said, news):
    """Takes a line of cairn_environment.py, in whose place the code of a package may write."""
    if isinstance(news.get("detail"), str):
        launch.tell("environment", "active", news["detail"])
    elif isinstance(news.get("log"), str):
        launch.log = (launch.log + news["log"] + "\n")[-LOG_BYTES:]
    elif isinstance(news.get("left"), list):
        said["left"] = [{"what": str(one.get("what"))[:200], "why": str(one.get("why"))[:300]} for one in news["left"][:LINES] if isinstance(one, dict)]
    else:
        said.update(news)


def refusal(said):
    ended = "The installation of this repository's packages was ended. It may need more memory than a session has."
    return Refused(str(said.get("failed") or ended)[:500], code=str(said.get("code") or ""))


async def watch(place, launch, disk):
    """Tells how much was installed, which also shows that something happens, and returns once it is too much."""
    told = 0
    while True:
        await asyncio.sleep(2)
        used = await asyncio.get_event_loop().run_in_executor(None, size_of, place)
        if disk and used > disk:
            return
        if used >> 20 > told:
            told = used >> 20
            step = next((one["detail"] for one in launch.steps if one["name"] == "environment"), "")
            launch.tell("environment", "active", f"{step.partition(' · ')[0][:120]} · {told} MB")


def write_kernel(folder, described):
    """Makes an environment's Python the kernel of notebooks, through a folder that Jupyter searches first."""
    place = folder + "/jupyter/kernels/python3"
    os.makedirs(place, mode=0o755, exist_ok=True)
    for part in ("/jupyter", "/jupyter/kernels", "/jupyter/kernels/python3"):
        os.chmod(folder + part, 0o755)
    with open(place + "/kernel.json", "w") as file:
        json.dump(described, file)
    os.chmod(place + "/kernel.json", 0o644)
