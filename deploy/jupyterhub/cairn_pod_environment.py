"""The environment that a repository asks for, on Kubernetes: the pod of the session that needs it first makes it, in an init container
that has the image of the session and no other rights. The agent keeps it, and says what both containers see of it and what the first
one runs (podenvironment.go of internal/sessions/engine/jupyterhub/agent)."""

import asyncio

from cairn_agent import Refused, ask
from cairn_pod import FAULT, MEMORY, beyond, lacks_program

SECONDS = 1800  # for an installation that makes progress
CONTAINER = "cairn-environment"


class PodEnvironment:
    """One environment, from a session's point of view. The agent gives it the turn to make it as long as it listens."""

    def __init__(self, decided, session, asked, heard):
        self.decided, self.session, self.heard = decided, session, heard
        self.makes = False  # whether this session's pod makes it, and hasn't yet
        self.laid = asyncio.get_event_loop().create_future()  # what a pod needs that makes it
        self.call = asyncio.ensure_future(ask(decided, session, "environment", asked, self.hear))

    def hear(self, event):
        if event.get("laid"):
            self.laid.set_result(event["laid"])
        else:
            self.heard(event)

    async def find(self):
        """Returns what Jupyter's container needs, once the environment is whole, or it's this session's turn to make it."""
        await asyncio.wait({self.call, self.laid}, return_when=asyncio.FIRST_COMPLETED)
        self.makes = not self.call.done()
        return self.laid.result() if self.makes else self.call.result()

    async def settle(self, ended, image, memory):
        """Returns what couldn't be installed, once the init container has ended: then the environment is whole, or the launch is refused."""
        why = None
        if ended.get("reason") == "OOMKilled":
            why = Refused(f"The installation of this repository's packages was ended because it used {beyond(memory)}.", code=MEMORY)
        elif lacks_program(ended):
            why = Refused(f"The packages of this repository weren't installed: the image {image} lacks a shell, or is for other machines than the hub's. Tell the operators.", code=FAULT)
        await ask(self.decided, self.session, "environment/ended", {"status": 1 if why else ended.get("exitCode", 1)}, self.heard)
        try:
            left = (await asyncio.shield(self.call))["leftOut"] or []
        except Refused as refusal:
            raise why or refusal from None
        self.makes = False
        return left

    async def leave(self):
        """Lets the agent delete what isn't whole."""
        self.call.cancel()
        await asyncio.gather(self.call, return_exceptions=True)
