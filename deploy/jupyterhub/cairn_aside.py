"""Runs what a launch needs done beside the session's server: in a sandbox, with the least rights. It knows nothing of the hub."""

import asyncio
import contextlib
import json
import os
import signal

from cairn_box import alive, call_filter, children, sandbox

HERE = os.path.dirname(os.path.abspath(__file__))
LINE_BYTES = 64 << 10


async def run_aside(decided, account, folder, script, arguments, asked, heard, inside="/session/aside", python="python3", groups=()):
    """Runs a script of this folder, which reads `asked` as JSON and prints a line of JSON for each thing that it tells; heard is
    called with each. It sees nothing but `folder`, at `inside`, and joins control groups. Without a sandbox, it is only a process of
    its own with an empty environment. Returns its exit status."""
    there = "/session/" + script
    if not decided.sandboxed:
        inside, there = folder, os.path.join(HERE, script)
    command = ["/usr/bin/python3" if decided.sandboxed else python, "-I", "-B", there, *arguments, inside]
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": inside}
    if trust := os.environ.get("SSL_CERT_FILE"):
        environment["SSL_CERT_FILE"] = "/session/trust.pem" if decided.sandboxed else trust
    with call_filter() if decided.sandboxed else contextlib.nullcontext(()) as calls:
        if decided.sandboxed:
            shown = ["--die-with-parent", "--bind", folder, inside, "--ro-bind", os.path.join(HERE, script), there]
            if trust:
                shown += ["--ro-bind", trust, "/session/trust.pem"]
            if asked.get("offline"):
                shown += ["--unshare-net"]
            command = sandbox(account, shown, inside, calls) + command
        process = await asyncio.create_subprocess_exec(
            *command, env=environment, cwd="/", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL, start_new_session=True, pass_fds=calls, limit=LINE_BYTES,
            preexec_fn=joining(groups),
        )  # fmt: skip
    try:
        with contextlib.suppress(ConnectionError):
            process.stdin.write(json.dumps(asked).encode())
            await process.stdin.drain()
        process.stdin.close()
        while line := await process.stdout.readline():
            with contextlib.suppress(ValueError):
                said = json.loads(line)
                if isinstance(said, dict):
                    heard(said)
        return await process.wait()
    finally:
        await end(process)


def joining(groups):
    """Returns what a new process does before its program runs, so that all that it starts is in these control groups too."""

    def join():
        for group in groups:
            with open(group + "/cgroup.procs", "w") as members:
                members.write(str(os.getpid()))

    return join


async def end(process):
    """Kills a process with all that it started, and waits until none of it runs: the first process of its sandbox takes the others
    along, which outlive the process that started the sandbox for a moment."""
    if process.returncode is not None:
        return
    inner = children(process.pid)
    for kill, one in [(os.kill, child) for child in inner] + [(os.killpg, process.pid)]:
        with contextlib.suppress(ProcessLookupError):
            kill(one, signal.SIGKILL)
    await process.wait()
    while any(alive(child) for child in inner):
        await asyncio.sleep(0.01)
