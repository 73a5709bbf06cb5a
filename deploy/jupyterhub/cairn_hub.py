"""What a JupyterHub needs to run Cairn's sessions: the check of what Cairn asks for, the hook that has a session made ready by the
agent before its server starts, and spawners that tell how it goes.

Each session is a named server of its owner, named by the session's id in a short form (session_of), with its own folder
below Cairn.root:

    <root>/<id>/work            what the session shows at its root; <root>/<id>/work/data holds the datasets, read-only
    <root>/<id>/home            settings of programs
    <root>/<id>/server.log      what the server said since its last start
"""

import asyncio
import base64
import binascii
import contextlib
import errno
import hmac
import json
import os
import pathlib
import random
import re
import signal
import socket
import time
import uuid

from cairn_agent import Refused, ask
from cairn_box import LOG_BYTES, alive, call_filter, children, control_groups, joining, memory_of, remove_control_groups, sandbox, size_of, tail, unfiltered
from jupyterhub.apihandlers.base import APIHandler
from jupyterhub.app import JupyterHub
from jupyterhub.scopes import needs_scope
from jupyterhub.spawner import LocalProcessSpawner
from tornado import web
from traitlets import Bool, Float, Integer, Unicode
from traitlets.config import SingletonConfigurable

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cairn_singleuser.py")
DETAIL_LENGTH = 300  # characters of a step's detail
SESSION = re.compile(r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


def server_name(session):
    """Returns the name of a session's server: JupyterHub 6 takes 30 characters that begin with a letter."""
    return "s" + base64.b32encode(uuid.UUID(session).bytes).decode().rstrip("=").lower()


def session_of(server):
    """Returns the id of the session that a server is, by its name; "" for other servers. Servers that were made before bear
    the id itself."""
    if SESSION.fullmatch(server):
        return server
    try:
        session = str(uuid.UUID(bytes=base64.b32decode(server[1:].upper() + "======")))
    except (ValueError, binascii.Error):
        return ""
    return session if server_name(session) == server else ""


class Cairn(SingletonConfigurable):
    """What the operator decides."""

    token = Unicode(help="The token of Cairn's service; it also signs Cairn's requests").tag(config=True)
    root = Unicode("/srv/cairn/sessions", help="Where the sessions' folders are").tag(config=True)
    data_root = Unicode("", help="Cairn's datasets.root, as the hub sees it").tag(config=True)
    agent_url = Unicode("http://127.0.0.1:8003", help="Where the agent listens, without a path").tag(config=True)
    environments = Bool(True, help="Whether the packages are installed that repositories ask for").tag(config=True)
    disk = Integer(10 << 30, help="Bytes that a session's files may take; 0: no limit").tag(config=True)
    disk_grace = Integer(600, help="Seconds that a session may be above that limit; at twice the limit it's stopped at once").tag(config=True)
    disk_interval = Float(30, help="Seconds between two checks of a session's files").tag(config=True)
    memory = Integer(0, help="Bytes of memory that a session may use if Cairn doesn't set it; 0: no limit").tag(config=True)
    cpu = Float(0, help="Processors that a session may use if Cairn doesn't set it; 0: no limit").tag(config=True)
    run_priority = Unicode("", help="The PriorityClass of the pods in which entries are run, as in runs.yaml; empty: none are run").tag(config=True)
    processes = Integer(1024, help="Processes and threads that a session may have at once; 0: no limit").tag(config=True)

    def folder(self, session):
        if not SESSION.fullmatch(session):
            raise ValueError("not a session of Cairn")
        return os.path.join(self.root, session)

    def limits(self, permit):
        """Returns the bounds of a session: what Cairn asks for, else what the operator of the hub decided."""
        asked = permit.get("limits") or {}
        return {name: asked.get(name) or getattr(self, name) for name in ("memory", "cpu", "processes", "disk")}


def settings():
    return Cairn.instance(config=JupyterHub.instance().config)


def cairn_options(options):
    """Returns the options of a server as Cairn sends them. Hubs before version 6 know no key user_options and keep it."""
    options = options or {}
    inner = options.get("user_options")
    return inner if isinstance(inner, dict) else options


def verified(options, user, server, now):
    """Returns what Cairn asks for. Nobody but Cairn can sign it: it looked a moment ago whether this user may read these
    datasets, and what it signed holds for this user's server of this name and for a few minutes."""
    options = cairn_options(options)
    text, signature = options.get("cairn"), options.get("signature")
    if not isinstance(text, str) or not isinstance(signature, str):
        raise Refused("Sessions are started from the catalog, not from here.")
    key = hmac.digest(settings().token.encode(), b"cairn grant 1", "sha256")
    if not hmac.compare_digest(hmac.digest(key, text.encode(), "sha256").hex(), signature):
        raise Refused("The hub and the catalog don't have the same token, so this launch was refused.")
    permit = json.loads(text)
    if permit["owner"] != user or not permit["session"] or permit["session"] != session_of(server):
        raise Refused("This launch was requested by someone else.")
    if not now < permit["until"] <= now + 3600:
        raise Refused("This launch was requested too long ago, or the clocks of the hub and the catalog differ. Start it again.")
    return permit


def repository_of(permit):
    """Returns the repository that a launch copies: one with a ref, one without, or None."""
    asked = permit.get("checkout") or permit.get("repository") or {}
    return asked if asked.get("url") else None


class Launch:
    """How far a launch is. Every change is told to all who listen to the hub's progress events."""

    def __init__(self, number, steps=("repository", "datasets", "server")):
        self.number, self.log, self.exit, self.reason, self.warning, self.code = number, "", None, "", "", ""
        self.missing, self.commit, self.usage = [], "", None
        self.left_out = None  # what the repository asks for and the session doesn't have, once that is known
        self.steps = [{"name": name, "state": "waiting", "detail": ""} for name in steps]
        self.changed = asyncio.Event()
        self.version = 0

    def tell(self, name, state, detail=None):
        for step in self.steps:
            if step["name"] == name:
                step["state"] = state
                if detail is not None:
                    step["detail"] = " ".join(detail.split())[:DETAIL_LENGTH]
        self.version += 1
        self.changed.set()
        self.changed = asyncio.Event()

    def hear(self, event):
        """Takes an event of the agent."""
        if event.get("log"):
            self.log = (self.log + event["log"] + "\n")[-LOG_BYTES:]
        if event.get("step"):
            self.tell(event["step"], event["state"], event.get("detail", ""))

    def fail(self, reason, missing=(), code=""):
        self.reason, self.missing, self.code = reason, list(missing), code
        for step in self.steps:
            if step["state"] == "active":
                self.tell(step["name"], "failed")

    def view(self, whole=True):
        seen = {"launch": self.number, "steps": self.steps, "warning": self.warning, "commit": self.commit, "usage": self.usage}
        if not whole and self.left_out is not None:  # too much for the hub's database
            seen.update(leftOut=self.left_out)
        if whole:
            seen.update(exit=self.exit, reason=self.reason, code=self.code, missing=self.missing, log=self.log)
        return seen


class CancelHandler(APIHandler):
    """POST /hub/api/cairn/cancel/USER/SERVER: takes back a launch that copies a repository. The hub itself would not stop a
    server before it has started."""

    @needs_scope("delete:servers")
    async def post(self, user_name, server_name):
        user = self.find_user(user_name)
        if user is None or server_name not in user.orm_spawners:
            raise web.HTTPError(404)
        spawner = user.spawners[server_name]
        if hasattr(spawner, "cairn_cancel"):
            spawner.cairn_cancel()
        self.set_status(204)


class AboutHandler(APIHandler):
    """GET /hub/api/cairn/about: what sessions here can have, for what is said before they start."""

    @needs_scope("read:hub")
    async def get(self):
        installs = getattr(JupyterHub.instance().spawner_class, "cairn_installs_packages", "")
        self.finish({"environments": bool(installs and settings().environments), "runs": bool(installs == "pod" and settings().run_priority), "front": bool(installs)})


handlers = [(r"/api/cairn/cancel/([^/]+)/([^/]+)", CancelHandler), (r"/api/cairn/about", AboutHandler)]


def free_port():
    """Draws a port that nobody uses and that the system gives to nobody else before the server listens; 0 where there are none."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        most = min(20_000, int(file.read().split()[0]))
    for port in random.sample(range(10_000, max(10_000, most)), k=min(100, max(0, most - 10_000))):
        with contextlib.suppress(OSError), socket.socket() as tried:
            tried.bind(("127.0.0.1", port))
            return port
    return 0


class CairnSpawnerMixin:
    """Copies and mounts before the server starts. Put it before any spawner whose hub sees the folder Cairn.root; the
    spawner itself then shows <root>/<id>/work and the mounts to the server."""

    cairn_launch = None  # of the server under way, or the last one
    cairn_past = None  # what a hub before this one wrote down
    cairn_task = None
    cairn_cancelled = False
    cairn_prepared = None  # what the agent made ready: mounts, variables, packages
    cairn_installs_packages = ""  # where this spawner's packages are installed: "here", by the agent, or in the session's "pod"
    cairn_limits = None  # of memory, cpu, processes and disk, of the last launch of this hub
    cairn_batch = None  # of a session in which a program runs an entry: whether it reaches the network
    cairn_profile = None  # the size of that launch: name, gpus, image; None: the hub's only one

    def cairn_ours(self):
        """Returns whether this server is a session. Other servers of an existing hub stay with their own spawner."""
        return self.cairn_session != "" or "cairn" in cairn_options(self.user_options)

    @property
    def cairn_session(self):
        """The id of the session; "" for other servers."""
        return session_of(self.name or "")

    def cairn_cancel(self):
        self.cairn_cancelled = True
        if self.cairn_task is not None:
            self.cairn_task.cancel()

    def run_pre_spawn_hook(self):
        return self._cairn_prepare() if self.cairn_ours() else super().run_pre_spawn_hook()

    async def _cairn_prepare(self):
        launch = self.cairn_launch = Launch(0)
        self.cairn_cancelled, self.cairn_prepared = False, None
        try:
            permit = verified(self.user_options, self.user.name, self.name, time.time())
            if "kind" in permit:
                raise Refused("This isn't the request for a launch.")
            steps = ["repository", "datasets", "environment", "server"]
            if not repository_of(permit):
                steps.remove("repository")
            if not self.cairn_installs(permit):
                steps.remove("environment")
            launch = self.cairn_launch = Launch(permit["launch"], steps)
            self.cairn_limits, self.cairn_profile, self.cairn_batch = settings().limits(permit), permit.get("profile"), permit.get("batch")
            if self.cairn_batch and not (self.cairn_installs_packages == "pod" and settings().run_priority):
                raise Refused("This hub doesn't run entries.", code="server_fault")
            self._cairn_check_profile()
            if programs := self._cairn_lacks():
                raise Refused(f"The hub lacks {' and '.join(programs)}, which sessions need. Tell the operators.", code="server_fault")
            self.cairn_task = asyncio.ensure_future(self._cairn_fill(permit, launch))
            await self.cairn_task
        except asyncio.CancelledError:
            raise Refused("The launch was cancelled.") from None
        except Refused as refusal:
            launch.fail(str(refusal), refusal.missing, refusal.code)
            raise
        except Exception as problem:
            refusal = disk_refusal(problem) if isinstance(problem, OSError) else None
            refusal = refusal or Refused("The hub couldn't prepare the session. The operators can find the reason in its log.", code="server_fault")
            launch.fail(str(refusal), code=refusal.code)
            self.log.exception("Preparing a session failed")
            raise refusal from None
        finally:
            self.cairn_task = None

    def _cairn_check_profile(self):
        """Raises Refused if the hub can't give the session what its size promises."""
        profile = self.cairn_profile or {}
        if profile.get("gpus") or profile.get("image"):
            raise Refused(f"The hub can't start sessions of the size {profile['name']}: it runs no containers. Tell the operators.")

    def _cairn_lacks(self):
        """Returns the programs that sessions of this spawner need and the hub doesn't have."""
        return []

    async def _cairn_fill(self, permit, launch):
        asked = {"permit": permit, "limits": self.cairn_limits, "installs": self.cairn_installs_packages if self.cairn_installs(permit) else ""}
        made = self.cairn_prepared = await ask(settings(), self.cairn_session, "prepare", asked, launch.hear)
        launch.commit, launch.left_out = made["commit"], made["leftOut"] or []
        if not self.cairn_packages:
            launch.tell("server", "active")

    @property
    def cairn_packages(self):
        """What the session's pod installs."""
        return (self.cairn_prepared or {}).get("packages") or []

    def cairn_installs(self, permit):
        """Returns whether what the repository of a launch asks for is installed. Releases of Cairn before don't ask for it."""
        return bool(self.cairn_installs_packages and settings().environments and permit.get("environment") and repository_of(permit))

    async def start(self):
        if self.cairn_cancelled:
            raise Refused("The launch was cancelled.")
        if not self.cairn_ours():
            return await super().start()
        # As a task, so that the launch can be taken back while the spawner waits, as for a node of a cluster.
        self.cairn_task = asyncio.ensure_future(super().start())
        try:
            return await self.cairn_task
        except asyncio.CancelledError:
            await super().stop(now=True)
            raise Refused("The launch was cancelled.") from None
        finally:
            self.cairn_task = None

    async def progress(self):
        if not self.cairn_ours():
            async for event in super().progress():
                yield event
            return
        spawner = asyncio.ensure_future(self._cairn_follow_spawner())
        try:
            async for event in self._cairn_progress():
                yield event
        finally:
            spawner.cancel()

    async def _cairn_follow_spawner(self):
        """Shows the spawner's own events, such as those of a pod, at the last step."""
        launch = self.cairn_launch
        while launch is not None and launch.steps[-1]["state"] == "waiting":
            await launch.changed.wait()
        try:
            async for event in super().progress():
                if launch is not None and event.get("message") and launch.steps[-1]["state"] == "active":
                    launch.tell("server", "active", str(event["message"]))
        except Exception:  # what a spawner tells is not worth a launch
            self.log.exception("The events of a session's spawner cannot be followed")

    async def _cairn_progress(self):
        launch, told = self.cairn_launch, -1
        while launch is not None:
            changed = launch.changed
            if launch.version != told:
                told = launch.version
                active = [step for step in launch.steps if step["state"] == "active"]
                done = sum(step["state"] == "done" for step in launch.steps)
                text = " ".join([active[0]["name"], active[0]["detail"]]).strip() if active else "preparing"
                yield {"progress": 10 + 25 * done, "message": text, "cairn": json.loads(json.dumps(launch.view(whole=False)))}
            await changed.wait()

    def load_state(self, state):
        super().load_state(state)
        self.cairn_past = state.get("cairn")

    def get_state(self):
        state = super().get_state()
        view = self.cairn_launch.view() if self.cairn_launch else self.cairn_past
        if view:
            state["cairn"] = view
        return state


def disk_refusal(problem):
    """Returns why a launch ends for which something can't be written; None if that is not why."""
    if problem.errno in (errno.ENOSPC, errno.EDQUOT):
        return Refused("The hub's disk is full. Tell the operators.", code="disk_full")
    if problem.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return Refused("The hub can't write where it keeps sessions: that disk is read-only, or closed to it. Tell the operators.", code="server_fault")
    return None


# What a server says that couldn't start, and why that is.
SERVER_REASONS = (
    (r"No space left on device|Disk quota exceeded", "The hub's disk is full. Tell the operators.", "disk_full"),
    (r"Read-only file system|PermissionError", "Jupyter couldn't start, because it can't write into the session's home folder on the hub. See the log.", ""),
    (r"ModuleNotFoundError|ImportError|No such file or directory: '[^']*jupyter|can't open file", "The hub lacks Jupyter, or a part of it. See the log, and tell the operators.", "server_fault"),
)  # fmt: skip


def server_reason(log):
    """Returns why a server ended before it was ready, and the code of that."""
    for pattern, reason, code in SERVER_REASONS:
        if re.search(pattern, log):
            return reason, code
    return "Jupyter stopped before it was ready. See the log.", ""


class CairnLocalSpawner(CairnSpawnerMixin, LocalProcessSpawner):
    """Runs each server on the hub's machine with bubblewrap, with its own user, files and processes. It shares the
    machine's network, because hub and proxy reach servers over the loopback address."""

    cairn_installs_packages = "here"
    cairn_measured = 0.0
    cairn_crowded = None

    def _cairn_lacks(self):
        needed = {"bubblewrap": "/usr/bin/bwrap", "util-linux": "/usr/bin/setpriv"}
        return [name for name, path in needed.items() if not os.access(path, os.X_OK)]

    def make_preexec_fn(self, name):
        if not self.cairn_ours():
            return super().make_preexec_fn(name)
        return joining(self.cairn_groups())

    def cairn_groups(self):
        try:
            return control_groups(self.cairn_session, self.cairn_limits)
        except OSError as problem:
            self.log.error("Sessions aren't limited: the hub can't make control groups (%s)", problem)
            return []

    def user_env(self, env):
        if not self.cairn_ours():
            return super().user_env(env)
        env.update(USER="session", HOME="/session/home", SHELL="/bin/bash", PATH="/usr/bin:/bin", LANG="C.UTF-8")
        env.update(self.cairn_prepared["environment"] or {})
        return env

    async def start(self):
        if not self.cairn_ours():
            return await super().start()
        try:
            return await self._cairn_run()
        except OSError as problem:
            if refusal := disk_refusal(problem):
                self.cairn_launch.fail(str(refusal), code=refusal.code)
                raise refusal from None
            raise

    async def _cairn_run(self):
        folder, account = settings().folder(self.cairn_session), self.cairn_prepared["account"]
        mounts = ["--bind", folder + "/home", "/session/home", "--bind", folder + "/work", "/session/work"]
        for mount in self.cairn_prepared["mounts"]:  # bubblewrap makes folders above them that only root may enter
            above = [word for one in reversed(pathlib.PurePath(mount["to"]).parents[:-1]) for word in ("--perms", "0755", "--dir", str(one))]
            mounts += [*above, "--ro-bind", mount["from"], mount["to"]]
        mounts += ["--ro-bind", SERVER, "/session/server.py"]
        self.shell_cmd = []
        if problem := unfiltered():
            self.log.error("System calls of sessions aren't filtered: %s", problem)
        self.notebook_dir = "/session/work"
        for _ in range(3):
            self.port = free_port()  # another session may take it before the server does
            with open(folder + "/server.log", "wb") as log, call_filter() as calls:
                front = self.cairn_prepared.get("front") or []
                self.cmd = sandbox(account, mounts, "/session/work", calls) + [*front, "/usr/bin/python3", "/session/server.py"]
                self.popen_kwargs = {"stdin": -3, "stdout": log, "stderr": log, "cwd": "/", "pass_fds": calls}
                address = await super().start()
            if await self._cairn_listens(address[1]):
                return address
        launch = self.cairn_launch
        launch.log = tail(folder + "/server.log")
        reason, code = server_reason(launch.log)
        launch.fail(reason, code=code)
        raise Refused(reason, code=code)

    async def _cairn_listens(self, port):
        """Waits until the server listens; false when it ended before. The hub bounds how long this takes."""
        while self.proc.poll() is None:
            if self.cairn_cancelled:
                await LocalProcessSpawner.stop(self, now=True)
                raise Refused("The launch was cancelled.")
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                return True
            except OSError:
                await asyncio.sleep(0.05)
        return False

    async def poll(self):
        started = self.pid != 0 or self.proc is not None
        status = await super().poll()
        launch = self.cairn_launch
        if status is not None and started and launch is not None and launch.exit is None:
            launch.exit, launch.log = status, tail(settings().folder(self.cairn_session) + "/server.log")
            remove_control_groups(self.cairn_session)
        if status is None and launch is not None:
            memory = memory_of(self.cairn_session)
            if memory or launch.usage:
                launch.usage = {**(launch.usage or {"disk": 0}), **(memory or {"memory": 0, "peak": 0})}
            await self._cairn_measure(launch)
        return status

    async def _cairn_measure(self, launch):
        decided = settings()
        now = time.monotonic()
        disk = (self.cairn_limits or decided.limits({}))["disk"]
        if now - self.cairn_measured < decided.disk_interval:
            return
        self.cairn_measured = now
        folder, run = decided.folder(self.cairn_session), asyncio.get_event_loop().run_in_executor
        used = sum([await run(None, size_of, folder + part) for part in ("/work", "/home")])
        launch.usage = {**(launch.usage or {"memory": 0, "peak": 0}), "disk": used}
        if not disk or used <= disk:
            self.cairn_crowded, launch.warning = None, ""
            return
        self.cairn_crowded = self.cairn_crowded or now
        left = decided.disk_grace - (now - self.cairn_crowded)
        megabytes = f"{used >> 20} MiB, more than the {disk >> 20} MiB allowed"
        if left > 0 and used <= 2 * disk:
            end = time.strftime("%H:%M", time.gmtime(time.time() + left))
            launch.warning = f"This session's files take {megabytes}. Delete some, or the session is stopped at {end} UTC; the files are kept."
            return
        launch.warning, launch.exit, launch.code = "", 1, "too_large"
        launch.reason = f"The session was stopped because its files take {megabytes}. They're kept: download them, or start it again and delete some right away."
        launch.log = tail(decided.folder(self.cairn_session) + "/server.log")
        await super().stop(now=True)

    async def stop(self, now=False):
        if self.cairn_launch is not None and self.cairn_launch.exit is None:
            self.cairn_launch.exit = 0  # whoever asked for this did not see a crash
        await super().stop(now)
        if self.cairn_session:
            remove_control_groups(self.cairn_session)

    async def _signal(self, sig):
        """Bubblewrap's own process only watches. What ends gently is the server in it; what ends at once is the first
        process of its namespace, which takes all others along."""
        if not self.cairn_ours():
            return await super()._signal(sig)
        if sig == signal.SIGINT:
            sig = signal.SIGTERM  # Jupyter takes an interrupt for a question
        if sig != 0:
            first = children(self.pid)
            targets = first if sig == signal.SIGKILL else [inner for one in first for inner in children(one)]
            for target in targets or [self.pid]:
                try:
                    os.kill(target, sig)
                except ProcessLookupError:
                    pass
        return alive(self.pid)
