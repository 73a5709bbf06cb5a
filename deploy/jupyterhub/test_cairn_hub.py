"""Tests of what the hook refuses: python3 -m unittest, in this folder. make test runs them too."""

import asyncio
import hashlib
import hmac
import json
import logging
import os
import re
import socket
import subprocess
import tempfile
import time
import unittest
import unittest.mock

import cairn_agent
import cairn_box
import cairn_hub

SESSION = "0190f5a1-7a3e-7bbb-8d3a-0123456789ab"
NAME = "sagiplil2hz53xdj2aerukz4jvm"  # of its server
NOW = 1_800_000_000


def signed(token="the token", **changes):
    """Returns the options of a launch as Cairn signs them (internal/sessions/engine/jupyterhub/permit.go)."""
    permit = {"session": SESSION, "owner": "ann@example.org", "launch": 1, "until": NOW + 300, "repository": {}, "datasets": []}
    text = json.dumps({**permit, **changes})
    key = hmac.digest(token.encode(), b"cairn grant 1", "sha256")
    return {"cairn": text, "signature": hmac.new(key, text.encode(), hashlib.sha256).hexdigest()}


class Elsewhere:
    """A spawner as others have it, which waits for a machine."""

    def run_pre_spawn_hook(self):
        return "theirs"

    async def start(self):
        self.waits.set()
        await asyncio.Event().wait()

    async def stop(self, now=False):
        self.stopped = now

    async def progress(self):
        yield {"message": "pulling the image"}
        await asyncio.Event().wait()


def spawner(name, options):
    class Spawner(cairn_hub.CairnSpawnerMixin, Elsewhere):
        pass

    made = Spawner()
    made.name, made.user_options, made.stopped, made.waits = name, options, False, asyncio.Event()
    made.user = type("User", (), {"name": "ann@example.org"})
    return made


class Hooked(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.decided = cairn_hub.settings()
        self.decided.token = "the token"
        self.decided.data_root = os.path.join(self.folder.name, "data")
        os.makedirs(os.path.join(self.decided.data_root, "spikes"))

    def refused(self, call):
        with self.assertRaises(cairn_hub.Refused):
            call()

    def launched(self, **more):
        """Returns the refusal of a launch, once it is told."""
        one = spawner(NAME, signed(until=time.time() + 60, **more))
        one.log = logging.getLogger("cairn-test")
        one.log.disabled = True
        with self.assertRaises(cairn_hub.Refused) as refused:
            asyncio.run(one.run_pre_spawn_hook())
        self.assertEqual((one.cairn_launch.reason, one.cairn_launch.code), (str(refused.exception), refused.exception.code))
        return refused.exception


class Hook(Hooked):
    def test_permits_hold_for_one_server_of_one_user_and_some_minutes(self):
        def ask(options, user="ann@example.org", server=SESSION, now=NOW):
            return cairn_hub.verified(options, user, server, now)

        for server in (SESSION, NAME):  # of before, of now
            for options in (signed(), {"user_options": signed()}):  # of JupyterHub 6, of a hub before it
                self.assertEqual(ask(options, server=server)["launch"], 1)
        self.refused(lambda: ask(signed(session=""), server="project"))
        for why, options in {
            "nothing signed": {},
            "no text": {"cairn": 1, "signature": "x"},
            "another token": signed(token="another"),
            "changed afterwards": {**signed(), "cairn": signed(launch=2)["cairn"]},
            "no session of ours": signed(session="../../etc"),
            "forever": signed(until=NOW + 86_400),
        }.items():
            with self.subTest(why):
                self.refused(lambda: ask(options))
        self.refused(lambda: ask(signed(), now=NOW + 301))
        self.refused(lambda: ask(signed(), user="eve@example.org"))
        self.refused(lambda: ask(signed(), server="0190f5a1-7a3e-7bbb-8d3a-0123456789ac"))
        self.refused(lambda: ask(signed(session="../x"), server="../x"))

    def test_servers_are_named_by_their_session(self):
        self.assertEqual(cairn_hub.server_name(SESSION), NAME)
        self.assertEqual((cairn_hub.session_of(SESSION), cairn_hub.session_of(NAME)), (SESSION, SESSION))
        for name in ("", "project", NAME.upper(), NAME[1:], NAME[:-1], NAME[:-1] + "n", "t" + NAME[1:], NAME + "a", "s" + 26 * "é", "../x"):
            self.assertEqual(cairn_hub.session_of(name), "", name)

    def test_sessions_are_bounded_by_control_groups_of_both_versions(self):
        limits = self.decided.limits({"limits": {"memory": 1 << 30, "cpu": 1.5}})
        self.assertEqual(limits, {"memory": 1 << 30, "cpu": 1.5, "processes": 1024, "disk": 10 << 30})

        def read(path):
            with open(path) as file:
                return file.read()

        for version in (1, 2):
            root = os.path.join(self.folder.name, f"cgroup{version}")
            os.mkdir(root)
            if version == 2:
                open(root + "/cgroup.controllers", "w").close()
            groups = cairn_box.control_groups(SESSION, limits, root)
            found = {name: read(os.path.join(group, name)) for group in groups for name in os.listdir(group)}
            self.assertEqual(found, {
                1: {"memory.limit_in_bytes": str(1 << 30), "pids.max": "1024", "cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "150000"},
                2: {"memory.max": str(1 << 30), "pids.max": "1024", "cpu.max": "150000 100000"},
            }[version])

    def test_system_calls_of_a_sandbox_are_filtered(self):
        self.assertEqual(cairn_box.unfiltered(), "")
        with cairn_box.call_filter() as calls:
            command = cairn_box.sandbox(700_001, [], "/", calls)
            command += ["/bin/sh", "-c", "grep Seccomp: /proc/self/status; unshare -Ur id || ls /proc/self/fd"]
            ended = subprocess.run(command, pass_fds=calls, capture_output=True, text=True, check=True)
        self.assertEqual(ended.stdout.split(), ["Seccomp:", "2", "0", "1", "2", "3"])
        self.assertIn("Operation not permitted", ended.stderr)

    def test_servers_of_other_people_stay_with_their_spawner(self):
        self.assertEqual(spawner("", {}).run_pre_spawn_hook(), "theirs")
        self.assertEqual(spawner("project", {"profile": "large"}).run_pre_spawn_hook(), "theirs")
        for name, options in ((SESSION, {}), (NAME, {}), ("project", signed()), ("project", {"user_options": signed()})):
            with self.assertRaises(cairn_hub.Refused):
                asyncio.run(spawner(name, options).run_pre_spawn_hook())

    def test_a_hub_without_containers_gives_no_gpus_and_images(self):
        one = spawner(SESSION, {})
        for profile in (None, {"name": "large"}):
            one.cairn_profile = profile
            one._cairn_check_profile()
        for profile in ({"name": "large", "gpus": 1}, {"name": "large", "image": "x"}):
            one.cairn_profile = profile
            self.refused(one._cairn_check_profile)

    def test_ports_are_drawn_that_nobody_uses_and_the_system_gives_away(self):
        with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
            least = int(file.read().split()[0])
        for _ in range(20):
            port = cairn_hub.free_port()
            self.assertTrue(10_000 <= port < min(20_000, least), port)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", port))
            with unittest.mock.patch("random.sample", lambda *_, **__: [port, port + 1]):
                self.assertIn(cairn_hub.free_port(), (0, port + 1))

    def test_why_a_server_could_not_start_is_in_its_log(self):
        for log, part, code in (
            ("ModuleNotFoundError: No module named 'notebook'", "lacks Jupyter", "server_fault"),
            ("OSError: [Errno 28] No space left on device: '/session/home/.local'", "disk is full", "disk_full"),
            ("OSError: [Errno 30] Read-only file system: '/session/home/.local'", "can't write into", ""),
            ("Killed", "stopped before it was ready", ""),
        ):
            reason, found = cairn_hub.server_reason("[I] Starting\n" + log)
            self.assertIn(part, reason)
            self.assertEqual(found, code)

    def test_a_launch_that_waits_in_the_spawner_can_be_taken_back(self):
        async def launch():
            one = spawner(SESSION, {})
            started = asyncio.ensure_future(one.start())
            await one.waits.wait()
            one.cairn_cancel()
            with self.assertRaises(cairn_hub.Refused):
                await started
            return one.stopped

        self.assertTrue(asyncio.run(launch()))

    def test_events_of_the_spawner_are_what_the_last_step_is_at(self):
        async def follow():
            one = spawner(SESSION, {})
            one.cairn_launch = cairn_hub.Launch(1)
            one.cairn_launch.tell("server", "active")
            async for event in one.progress():
                detail = event["cairn"]["steps"][-1]["detail"]
                if detail:
                    return detail

        self.assertEqual(asyncio.run(follow()), "pulling the image")

    def test_a_launch_holds_a_repository_one_at_a_ref_or_none(self):
        one = {"url": "https://example.org/x", "folder": "x"}
        self.assertEqual(cairn_hub.repository_of({"repository": one}), one)  # as releases before sign it
        self.assertEqual(cairn_hub.repository_of({"repository": {"url": "", "folder": ""}, "checkout": {**one, "ref": "v1"}}), {**one, "ref": "v1"})
        for none in ({"repository": {"url": "", "folder": ""}}, {"repository": {}}, {}):
            self.assertIsNone(cairn_hub.repository_of(none))

    def test_memory_is_read_from_control_groups_of_both_versions(self):
        for version, files in {
            1: {"memory/cairn/S/memory.usage_in_bytes": "5000", "memory/cairn/S/memory.max_usage_in_bytes": "9000", "memory/cairn/S/memory.stat": "cache 1\ntotal_inactive_file 1000"},
            2: {"cairn/S/memory.current": "5000", "cairn/S/memory.peak": "9000", "cairn/S/memory.stat": "anon 1\ninactive_file 1000"},
        }.items():
            root = os.path.join(self.folder.name, f"memory{version}")
            self.assertIsNone(cairn_box.memory_of(SESSION, root))
            for name, text in files.items():
                path = os.path.join(root, name.replace("S", SESSION))
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w") as file:
                    file.write(text)
            self.assertEqual(cairn_box.memory_of(SESSION, root), {"memory": 4000, "peak": 9000})

class Agent(Hooked):
    """Has a launch made ready by a stand-in of the agent."""

    def answered(self, *lines, status="200 OK"):
        """Returns the spawner of a launch that the agent answers like this, and what the agent was asked."""
        asked = []

        async def serve(reader, writer):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = int(re.search(r"Content-Length: (\d+)", head)[1])
            asked.append((head, json.loads(await reader.readexactly(length))))
            writer.write(f"HTTP/1.0 {status}\r\nContent-Type: application/x-ndjson\r\n\r\n".encode())
            for line in lines:
                writer.write(json.dumps(line).encode() + b"\n")
            await writer.drain()
            if lines[-1:] != [None]:
                writer.close()

        one = spawner(NAME, signed(until=time.time() + 60, repository={"url": "https://example.org/x", "folder": "x"}, environment=True))
        one.log = logging.getLogger("cairn-test")
        one.log.disabled = True
        one.cairn_installs_packages = "here"

        async def launch():
            server = await asyncio.start_server(serve, "127.0.0.1", 0)
            self.addCleanup(setattr, self.decided, "agent_url", self.decided.agent_url)
            self.decided.agent_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            try:
                await one.run_pre_spawn_hook()
            finally:
                server.close()

        return one, launch, asked

    def test_a_launch_is_made_ready_by_the_agent(self):
        made = {"account": 7, "commit": "c" * 40, "mounts": [], "environment": {"R_LIBS": "/r"}, "packages": None, "leftOut": None}
        one, launch, asked = self.answered(
            {"step": "repository", "state": "active", "detail": "Receiving objects: 45 %"}, {"log": "Cloning"}, {"step": "repository", "state": "done", "detail": "It lacks"}, {"done": made},
        )
        asyncio.run(launch())
        head, sent = asked[0]
        self.assertIn(f"POST /services/cairn-work/{SESSION}/prepare HTTP/1.0", head)
        self.assertIn("Authorization: token the token", head)
        self.assertEqual((sent["permit"]["session"], sent["installs"], sent["limits"]["processes"]), (SESSION, "here", 1024))
        told = one.cairn_launch
        self.assertEqual((one.cairn_prepared, told.commit, told.left_out, told.log), (made, "c" * 40, [], "Cloning\n"))
        self.assertEqual([(step["name"], step["state"], step["detail"]) for step in told.steps][::3], [("repository", "done", "It lacks"), ("server", "active", "")])
        self.assertEqual(told.view(whole=False)["leftOut"], [])
        self.assertNotIn("leftOut", told.view())

    def test_a_launch_ends_for_the_reason_that_the_agent_tells(self):
        one, launch, _ = self.answered({"step": "datasets", "state": "active"}, {"failed": {"reason": "It isn't there.", "code": "dataset_missing", "missing": ["1"]}})
        with self.assertRaises(cairn_hub.Refused) as refused:
            asyncio.run(launch())
        self.assertEqual((str(refused.exception), one.cairn_launch.code, one.cairn_launch.missing), ("It isn't there.", "dataset_missing", ["1"]))
        self.assertEqual(one.cairn_launch.steps[1]["state"], "failed")

    def test_an_agent_that_ends_or_refuses_ends_the_launch_in_words(self):
        for lines, status, part in (((), "200 OK", "ended while"), (({"step": "x", "state": "active"},), "200 OK", "ended while"), (({},), "403 Forbidden", "refused to prepare")):
            _, launch, _ = self.answered(*lines, status=status)
            with self.assertRaises(cairn_hub.Refused) as refused:
                asyncio.run(launch())
            self.assertIn(part, str(refused.exception))
            self.assertEqual(refused.exception.code, "server_fault")

    def test_a_hub_without_its_agent_says_so(self):
        self.addCleanup(setattr, cairn_agent, "PATIENCE", cairn_agent.PATIENCE)
        cairn_agent.PATIENCE = 0
        self.assertIn("agent isn't running", str(self.launched()))

    def test_a_launch_that_is_taken_back_leaves_the_agent(self):
        one, launch, asked = self.answered({"step": "repository", "state": "active"}, None)

        async def cancel():
            started = asyncio.ensure_future(launch())
            while one.cairn_launch is None or one.cairn_launch.steps[0]["state"] == "waiting":
                await asyncio.sleep(0)
            one.cairn_cancel()
            with self.assertRaises(cairn_hub.Refused):
                await started

        asyncio.run(asyncio.wait_for(cancel(), 60))

    def test_only_launches_of_repositories_that_ask_install(self):
        one = spawner(NAME, {})
        asks = {"repository": {"url": "https://example.org/x", "folder": "x"}, "environment": True}
        self.assertFalse(one.cairn_installs(asks))
        one.cairn_installs_packages = "here"
        self.assertTrue(one.cairn_installs(asks))
        for more in ({"environment": False}, {"repository": {}}):
            self.assertFalse(one.cairn_installs({**asks, **more}))
        self.addCleanup(setattr, self.decided, "environments", True)
        self.decided.environments = False
        self.assertFalse(one.cairn_installs(asks))


if __name__ == "__main__":
    unittest.main()
