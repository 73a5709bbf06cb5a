"""What the hub keeps for later sessions, datasets from the web and environments, and how it makes room: what was used least
recently goes first, and what a session uses stays."""

import asyncio
import contextlib
import glob
import os
import uuid

from cairn_box import size_of
from cairn_work import try_remove

PLACES = (".datasets/*", ".people/*/*")
MAKING = 65  # characters in names from here on are of what is being made or removed: a digest, a dot, and more


def weigh(place):
    """Writes down how much is in a new folder, which doesn't change any more."""
    with open(place + "/bytes", "x") as file:
        file.write(str(size_of(place)))


def weight(place):
    with contextlib.suppress(OSError, ValueError):
        with open(place + "/bytes") as file:
            return int(file.read())
    with contextlib.suppress(OSError):
        return size_of(place)
    return 0


def listed(root):
    """Returns (last use, bytes, folder) of all that is kept, the least recently used first."""
    found = []
    for place in [path for pattern in PLACES for path in glob.glob(os.path.join(glob.escape(root), pattern))]:
        with contextlib.suppress(OSError):
            if len(os.path.basename(place)) < MAKING:
                found.append((os.lstat(place).st_mtime_ns, weight(place), place))
    return sorted(found)


async def make_room(decided):
    """Removes what was not used for longest until the rest is within the limit. Launches say that they use something before they
    look whether it's there, and nothing waits between this question and the new name, so nothing is taken from under them."""
    if not decided.kept_bytes:
        return
    run = asyncio.get_event_loop().run_in_executor
    kept = await run(None, listed, decided.root)
    total = sum(size for _, size, _ in kept)
    for _, size, place in kept:
        if total <= decided.kept_bytes:
            return
        if place in decided.in_use():
            continue
        gone = f"{place}.{uuid.uuid4().hex}"
        try:
            os.rename(place, gone)
        except OSError:
            continue
        total -= size
        await run(None, try_remove, gone)
