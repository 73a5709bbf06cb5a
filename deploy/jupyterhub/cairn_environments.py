"""The environments that repositories ask for, each made once for the same packages and the same person:

    <root>/.people/<digest of the user's name>/<digest of the packages>/environment   as its sessions see it, read-only
    <root>/.people/<digest of the user's name>/<digest of the packages>/left.json     what couldn't be installed
    <root>/.people/<digest of the user's name>/<digest of the packages>/bytes         how much it takes

Nobody else sees them. cairn_environment.py makes them as an account of that person, in a sandbox; the hub opens nothing in them."""

import asyncio
import functools
import hashlib
import json
import os
import platform
import uuid

from cairn_aside import run_aside
from cairn_box import LOG_BYTES, size_of
from cairn_files import Refused
from cairn_kept import make_room, weigh
from cairn_work import try_remove

FOLDER = ".people"
INSIDE = "/session/environments/"
SECONDS = 1800  # for an installation that makes progress
LINES = 500
PYTHON = "/usr/bin/python3"
busy = {}  # by folder: the lock of whoever makes it


def key_of(decided, lines):
    """Identifies an environment by what its packages depend on: their list, the index, and the Python and packages below."""
    below = ["/usr/lib/python3/dist-packages", f"/usr/local/lib/python{'.'.join(platform.python_version_tuple()[:2])}/dist-packages"]
    changed = [os.stat(folder).st_mtime_ns for folder in below if os.path.isdir(folder)]
    return hashlib.sha256(json.dumps([1, lines, decided.pip_index_url, platform.python_version(), changed]).encode()).hexdigest()


def checked(lines):
    """Returns the lines that Cairn sent, if they are what pip may be given; they came signed."""
    good = isinstance(lines, list) and len(lines) <= LINES and all(isinstance(one, str) and 0 < len(one) < 2000 for one in lines)
    if not good or any(one[0] == "-" or any(ord(c) < 32 for c in one) for one in lines):
        raise Refused("The catalog sent a list of packages that can't be read.", code="server_fault")
    return lines


async def place_environment(decided, owner, lines, launch, limits, groups):
    """Returns the folder of an environment with these packages, and what was left out."""
    lines = checked(lines)
    own = os.path.join(decided.root, FOLDER, hashlib.sha256(owner.encode()).hexdigest())
    key = key_of(decided, lines)
    kept = os.path.join(own, key)
    launch.uses.add(kept)
    lock = busy.setdefault(kept, asyncio.Lock())
    if lock.locked():
        launch.tell("environment", "active", "Another session of yours is making it")
    async with lock:
        if os.path.lexists(kept):
            launch.tell("environment", "active", "Kept from before")
        else:
            await fill(decided, owner, own, key, lines, launch, limits, groups)
            await make_room(decided)
        os.utime(kept)  # what was used least recently is removed first
        with open(kept + "/left.json") as file:
            return kept + "/environment", INSIDE + key, json.load(file)


async def fill(decided, owner, own, key, lines, launch, limits, groups):
    run = asyncio.get_event_loop().run_in_executor
    for folder in (os.path.dirname(own), own):
        os.makedirs(folder, mode=0o711, exist_ok=True)
    for left in os.listdir(own):
        if left.startswith(key + "."):  # of a hub that ended in the middle
            await run(None, try_remove, os.path.join(own, left))
    place, account = os.path.join(own, f"{key}.{uuid.uuid4().hex}"), decided.account("person " + owner)
    os.makedirs(place + "/environment", mode=0o711)
    os.chmod(place + "/environment", 0o755)
    said = {"left": []}
    asked = {"lines": lines, "folder": INSIDE + key, "index": decided.pip_index_url}
    try:
        os.chown(place + "/environment", account, account)
        making = asyncio.ensure_future(run_aside(
            decided, account, place + "/environment", "cairn_environment.py", [], asked, functools.partial(hear, launch, said), inside=INSIDE + key, python=PYTHON, groups=groups,
        ))  # fmt: skip
        watching = asyncio.ensure_future(watch(place, launch, limits["disk"]))
        try:
            await asyncio.wait({making, watching}, timeout=SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if watching.done():
                raise Refused(f"This repository's packages take more than the {limits['disk'] >> 20} MiB that a session's files may.", code="too_large")
            if not making.done():
                raise Refused(f"The packages couldn't be installed within {SECONDS // 60} minutes.", code="time")
            await making
        finally:
            for task in (making, watching):
                task.cancel()
            await asyncio.gather(making, watching, return_exceptions=True)
        if "done" not in said:
            raise refusal(said)
        with open(place + "/left.json", "x") as file:
            json.dump(said["left"], file)
        await run(None, weigh, place)
        os.rename(place, os.path.join(own, key))
    except BaseException:
        await asyncio.shield(run(None, try_remove, place))
        raise


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


def kernel(inside):
    """Returns the description of the kernel that runs in an environment."""
    return {
        "argv": [inside + "/bin/python", "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Python 3 (packages of the repository)",
        "language": "python", "metadata": {"debugger": True}, "env": {"PATH": inside + "/bin:/usr/bin:/bin", "VIRTUAL_ENV": inside},
    }  # fmt: skip
