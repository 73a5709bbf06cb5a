"""Asks the agent, the program that has to do with the files of sessions, for what a session's server needs. It knows nothing of the hub."""

import asyncio
import json
from urllib.parse import urlsplit

PATH = "/services/cairn-work/"
LINE_BYTES = 16 << 20
PATIENCE = 60  # seconds for an agent that is just starting


class Refused(Exception):
    """Ends a launch with a sentence that people read, the code of its cause (internal/sessions/diagnosis) if it's known, and the
    ids of the datasets whose absence ended it."""

    def __init__(self, reason, missing=(), code=""):
        super().__init__(reason)
        self.jupyterhub_message = reason
        self.missing, self.code = list(missing or ()), code or ""


async def ask(decided, session, call, asked, heard):
    """Returns the agent's answer to a call about a session. heard is called with each event on the way. Whoever cancels it takes the
    launch back: the agent stops when the connection ends."""
    body = json.dumps(asked).encode()
    reader, writer = await connect(urlsplit(decided.agent_url))
    try:
        head = [
            f"POST {PATH}{session}/{call} HTTP/1.0", f"Authorization: token {decided.token}", "Content-Type: application/json",
            f"Content-Length: {len(body)}", "", "",
        ]  # fmt: skip
        writer.write("\r\n".join(head).encode() + body)
        await writer.drain()
        status = (await reader.readline()).split(b" ")[1:2]
        while (await reader.readline()).strip():
            pass
        if status != [b"200"]:
            raise Refused("The hub's agent refused to prepare the session. Tell the operators.", code="server_fault")
        while line := await reader.readline():
            event = json.loads(line)
            if failed := event.get("failed"):
                raise Refused(failed["reason"], failed["missing"], failed["code"])
            if event.get("done"):
                return event["done"]
            heard(event)
    except (OSError, ValueError):
        pass
    finally:
        writer.close()
    raise Refused("The hub's agent ended while it prepared the session. Start it again.", code="server_fault")


async def connect(address):
    for _ in range(10 * PATIENCE):
        try:
            return await asyncio.open_connection(address.hostname, address.port, limit=LINE_BYTES)
        except OSError:
            await asyncio.sleep(0.1)
    raise Refused("The hub's agent isn't running. Tell the operators.", code="server_fault")
