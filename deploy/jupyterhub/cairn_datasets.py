"""Datasets that the hub fetches from the web, once for each address, and shows to sessions read-only:

    <root>/.datasets/<digest of the address>/content        a file or a folder
    <root>/.datasets/<digest of the address>/dataset.json   its origin, for operators
    <root>/.datasets/<digest of the address>/bytes          how much it takes

The hub itself, which may be root, neither connects to anything nor opens what came: cairn_fetch.py does, in a sandbox."""

import asyncio
import hashlib
import json
import os
import stat
import time
import uuid

from cairn_aside import run_aside
from cairn_kept import make_room, weigh
from cairn_work import try_remove

FOLDER = ".datasets"
SECONDS = 6 * 3600  # for a dataset that keeps arriving
busy = {}  # by digest: the lock of whoever fetches it


class Unfetched(Exception):
    """A dataset couldn't be fetched: the rest of a sentence, and the code of its cause."""

    def __init__(self, reason, code):
        super().__init__(reason)
        self.code = code


async def fetch_dataset(decided, address, agent, tell, uses):
    """Returns the path of a dataset's content. Whoever comes while it's being fetched waits, and sees how far it is. The folder
    is added to uses first, so that it stays."""
    digest = hashlib.sha256(address.encode()).hexdigest()
    kept = os.path.join(decided.root, FOLDER, digest)
    uses.add(kept)
    lock = busy.setdefault(digest, asyncio.Lock())
    if lock.locked():
        tell("another session is fetching it")
    async with lock:
        if not os.path.lexists(kept):
            await fill(decided, address, agent, kept, tell)
            await make_room(decided)
        else:
            tell("kept from before")
        os.utime(kept)  # what was used least recently is removed first
    return os.path.join(kept, "content")


async def fill(decided, address, agent, kept, tell):
    top = os.path.dirname(kept)
    os.makedirs(top, mode=0o711, exist_ok=True)
    for left in os.listdir(top):
        if left.startswith(os.path.basename(kept) + "."):  # of a hub that ended in the middle
            await asyncio.get_event_loop().run_in_executor(None, try_remove, os.path.join(top, left))
    place, account = f"{kept}.{uuid.uuid4().hex}", decided.account("dataset " + address)
    os.makedirs(place + "/part", mode=0o711)
    try:
        if decided.sandboxed:
            os.chown(place + "/part", account, account)
        asked = {"url": address, "allow": list(decided.allow), "bytes": decided.dataset_bytes, "seconds": SECONDS, "stall": decided.dataset_stall, "agent": agent}
        about = await work(decided, account, place + "/part", "fetch", asked, tell)
        await work(decided, account, place + "/part", "unpack", {**asked, "offline": True}, tell)
        # What the sandbox left is never opened here, and must be no link: a mount of it would follow that.
        kind = os.lstat(place + "/part/content").st_mode
        if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
            raise Unfetched("what came is neither a file nor a folder", "")
        os.rename(place + "/part/content", place + "/content")
        with open(place + "/dataset.json", "x") as file:
            json.dump({"url": address, "sha256": about.get("sha256"), "bytes": about.get("bytes"), "fetchedAt": int(time.time())}, file)
        await asyncio.get_event_loop().run_in_executor(None, try_remove, place + "/part")
        await asyncio.get_event_loop().run_in_executor(None, weigh, place)
        os.rename(place, kept)
    except BaseException:
        await asyncio.shield(asyncio.get_event_loop().run_in_executor(None, try_remove, place))
        raise


async def work(decided, account, folder, name, asked, tell):
    ended = {}

    def heard(said):
        if isinstance(said.get("detail"), str):
            tell(said["detail"])
        else:
            ended.update(said)

    await run_aside(decided, account, folder, "cairn_fetch.py", [name], asked, heard)
    if isinstance(ended.get("done"), dict):
        return ended["done"]
    raise Unfetched(str(ended.get("failed") or "it took more memory than it may, or was ended")[:300], str(ended.get("code") or ""))
