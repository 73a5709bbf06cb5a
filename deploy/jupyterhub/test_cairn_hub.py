"""Tests of what the hook refuses: python3 -m unittest, in this folder. make test runs them too."""

import asyncio
import hashlib
import hmac
import io
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

import cairn_box
import cairn_files
import cairn_hub
import cairn_work

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


def mounted(test, folder, options):
    """Mounts a separate disk at a folder while a test runs."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
    test.addCleanup(subprocess.run, ["umount", "--lazy", folder], check=True)


class Hook(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.decided = cairn_hub.settings()
        self.decided.token, self.decided.allow = "the token", []
        self.decided.data_root = os.path.join(self.folder.name, "data")
        os.makedirs(os.path.join(self.decided.data_root, "spikes"))

    def refused(self, call):
        with self.assertRaises(cairn_hub.Refused):
            call()

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

    def test_traversal_out_of_the_data_root_is_refused(self):
        root = self.decided.data_root
        os.mkdir(root + "-of-others")
        os.symlink("/etc", os.path.join(root, "link"))
        os.symlink("spikes", os.path.join(root, "alias"))

        def place(path, folder="spikes"):
            return asyncio.run(cairn_files.place_datasets(cairn_hub.settings(), [{"name": "Spikes", "folder": folder, "path": path}]))

        real = os.path.realpath(root + "/spikes")
        self.assertEqual(place("spikes"), [(real, "spikes")])
        self.assertEqual(place("alias"), [(real, "spikes")])
        for path in ("../data-of-others", "..", ".", "", "/etc", "spikes/../../data-of-others", "link", "link/passwd", "absent"):
            with self.subTest(path):
                self.refused(lambda: place(path))
        for folder in ("", "..", "a/b", "-x", ".hidden", "a\n", "x" * 101):
            with self.subTest(folder):
                self.refused(lambda: place("spikes", folder))
        self.decided.data_root = ""
        self.refused(lambda: place("spikes"))

    def test_what_a_repository_needs_is_read_without_following_links(self):
        self.decided.root = os.path.join(self.folder.name, "root")
        work = os.path.join(self.decided.root, SESSION, "work")
        os.makedirs(work + "/code/binder")
        for name, text in {
            "../secret": "hidden", "code/requirements.txt": "numpy\n", "code/binder/apt.txt": "graphviz", "code/long": "x" * (cairn_files.TEXT_BYTES + 1),
            "code/empty": "",
        }.items():
            with open(os.path.join(work, name), "w") as file:
                file.write(text)
        for name, text in {"windows": "attrs\r\n".encode("utf-16"), "other": b"\xfe\xff\0s\0i\0x", "latin": b"# M\xfcller\nsix"}.items():
            with open(os.path.join(work, "code", name), "wb") as file:
                file.write(text)
        os.symlink("../../secret", work + "/code/link")
        os.symlink("..", work + "/code/up")
        os.mkfifo(work + "/code/pipe")
        names = ["requirements.txt", "binder/apt.txt", "windows", "other", "latin", "long", "empty", "link", "pipe", "up/secret", "../../secret", "/etc/passwd", "absent", "binder", ""]
        read = cairn_files.declared(self.decided, SESSION, "code", names)
        self.assertEqual(read, {
            "requirements.txt": "numpy\n", "binder/apt.txt": "graphviz", "windows": "attrs\r\n", "other": "six", "latin": "# M\ufffdller\nsix", "long": None,
        })
        launch = cairn_hub.Launch(1)
        self.assertNotIn("files", launch.view(whole=False))
        launch.files = read
        self.assertEqual(launch.view(whole=False)["files"], read)
        self.assertNotIn("files", launch.view())

    def test_every_dataset_that_is_not_available_is_named_by_its_id(self):
        self.addCleanup(setattr, self.decided, "dataset_bytes", self.decided.dataset_bytes)
        self.decided.dataset_bytes = 0
        with self.assertRaises(cairn_hub.Refused) as refused:
            asyncio.run(cairn_files.place_datasets(cairn_hub.settings(), [
                {"id": "1", "name": "A", "folder": "a", "unavailable": "It is private."},
                {"id": "2", "name": "B", "folder": "b", "path": "spikes"},
                {"id": "3", "name": "C", "folder": "c", "path": "absent"},
                {"id": "4", "name": "D", "folder": "d", "url": "https://example.org/d"},
            ]))
        self.assertEqual(refused.exception.missing, ["1", "3", "4"])
        launch = cairn_hub.Launch(1)
        launch.fail(str(refused.exception), refused.exception.missing)
        self.assertEqual(launch.view()["missing"], ["1", "3", "4"])

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
            command = cairn_box.sandbox(self.decided.account(SESSION), [], "/", calls)
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

    def launched(self, **more):
        """Returns the refusal of a launch, once it is told."""
        one = spawner(NAME, signed(until=time.time() + 60, **more))
        one.log = logging.getLogger("cairn-test")
        one.log.disabled = True
        with self.assertRaises(cairn_hub.Refused) as refused:
            asyncio.run(one.run_pre_spawn_hook())
        self.assertEqual((one.cairn_launch.reason, one.cairn_launch.code), (str(refused.exception), refused.exception.code))
        return refused.exception

    def keep_in(self, folder):
        self.addCleanup(setattr, self.decided, "root", self.decided.root)
        self.decided.root = self.folder.name + folder

    @unittest.skipUnless(os.geteuid() == 0, "only root can mount a disk")
    def test_a_disk_that_is_full_or_read_only_is_told_as_such(self):
        self.keep_in("/root")
        for options, part, code in (("nr_inodes=1", "disk is full", "disk_full"), ("ro", "read-only", "server_fault")):
            os.makedirs(self.decided.root, exist_ok=True)
            mounted(self, self.decided.root, options)
            refused = self.launched()
            self.assertIn(part, str(refused))
            self.assertEqual((refused.code, os.listdir(self.decided.root)), (code, []))

    def test_programs_that_the_hub_lacks_are_named_before_anything_is_made(self):
        self.keep_in("/root")
        self.addCleanup(setattr, cairn_files, "GIT", cairn_files.GIT)
        cairn_files.GIT = "/usr/bin/absent"
        refused = self.launched(repository={"url": "https://example.org/x", "folder": "x"})
        self.assertIn("lacks git,", str(refused))
        self.assertEqual((refused.code, os.path.exists(self.decided.root)), ("server_fault", False))
        self.assertEqual(cairn_files.lacking(self.decided, None), [])

    def test_why_a_server_could_not_start_is_in_its_log(self):
        for log, part, code in (
            ("ModuleNotFoundError: No module named 'notebook'", "lacks Jupyter", "server_fault"),
            ("OSError: [Errno 28] No space left on device: '/session/home/.local'", "disk is full", "disk_full"),
            ("OSError: [Errno 30] Read-only file system: '/session/home/.local'", "can't write into", ""),
            ("Killed", "stopped before it was ready", ""),
        ):
            reason, found = cairn_files.server_reason("[I] Starting\n" + log)
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

    def test_what_is_checked_out_is_the_branch_tag_or_commit_that_was_asked_for(self):
        bare, tree = self.folder.name + "/bare.git", self.folder.name + "/tree"
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.folder.name, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}

        def git(*arguments):
            command = ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org", *arguments]
            return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()

        git("init", "--quiet", "--initial-branch=main", tree)
        for text, after in (("main", ["checkout", "-q", "-b", "feature/é&x"]), ("branch", ["checkout", "-q", "--detach"]), ("tag", ["tag", "v1.0"])):
            with open(tree + "/version.txt", "w") as file:
                file.write(text)
            git("-C", tree, "add", ".")
            git("-C", tree, "commit", "--quiet", "-m", text)
            git("-C", tree, *after)
        git("clone", "--quiet", "--bare", tree, bare)
        commit = git("-C", tree, "rev-parse", "v1.0")

        def clone(ref):
            to = f"{self.folder.name}/clone{len(os.listdir(self.folder.name))}"
            command = ["/bin/sh", "-c", cairn_files.CLONE, "example.org:443:1.1.1.1", bare, to, ref]
            ended = subprocess.run(command, env=environment, capture_output=True, text=True)
            return ended, to + "/version.txt"

        for ref, want in {"main": "main", "feature/é&x": "branch", "v1.0": "tag", commit: "tag", commit[:10]: "tag"}.items():
            with self.subTest(ref):
                ended, path = clone(ref)
                with open(path) as file:
                    self.assertEqual((ended.returncode, file.read()), (0, want))
                self.assertEqual(ended.stdout.startswith("commit-is "), True, ended.stdout)
        self.assertEqual(cairn_files.lacks(clone("main")[0].stdout.splitlines()), "")
        ended, _ = clone("absent")
        said = ended.stdout.splitlines()
        self.assertEqual((ended.returncode, said[0]), (1, "no-ref"))
        self.assertEqual(cairn_files.no_ref("absent", said[1:]),
                         'The repository has no branch, tag or commit "absent". It has "feature/é&x", "main", "v1.0".')
        for ref in ("--upload-pack=id", "a b", "a..b", "refs/heads/main", "v1~1", "x" * 300):
            with self.subTest(ref), self.assertRaises(cairn_hub.Refused) as refused:
                asyncio.run(cairn_files.copy_repository(self.decided, SESSION, {"url": "https://1.1.1.1/x", "folder": "x", "ref": ref}, None))
            self.assertEqual(refused.exception.code, "ref_unknown")

    def test_a_copy_says_what_it_lacks(self):
        tree = self.folder.name + "/lacking"
        os.makedirs(tree + "/data")
        pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "07" * 32 + "\nsize 9\n"
        for path, text in {".gitattributes": "*.csv filter=lfs -text\n", "data/my table.csv": pointer, "own.csv": "1,2\n", "a.txt": pointer}.items():
            with open(f"{tree}/{path}", "w") as file:
                file.write(text)
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.folder.name, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}

        def git(*arguments):
            command = ["/usr/bin/git", "-C", tree, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", *arguments]
            subprocess.run(command, env=environment, check=True, capture_output=True)

        git("init", "--quiet", "--initial-branch=main")
        git("add", "--all")
        for path in ("lib", "more/é", "c", "d", "e"):
            git("update-index", "--add", "--cacheinfo", "160000," + "a" * 40 + "," + path)
        git("commit", "--quiet", "-m", "First")
        for ref in ("", "main"):
            to = f"{self.folder.name}/copy{ref}"
            command = ["/bin/sh", "-c", cairn_files.CLONE, "example.org:443:1.1.1.1", tree, to, ref]
            said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
            self.assertEqual(
                (said[0][:10], cairn_files.lacks(said)),
                ("commit-is ", """The files of submodules aren't copied: "c", "d", "e" and 2 more. """
                 """Files in Git LFS aren't copied; there are only pointers to them: "data/my table.csv"."""),
            )

    def test_a_repository_above_the_limit_is_not_copied(self):
        self.decided.root, self.decided.sandboxed = self.folder.name, False
        self.addCleanup(setattr, self.decided, "sandboxed", True)
        with open(self.folder.name + "/big", "wb") as file:
            file.write(os.urandom(1 << 20))

        async def follow():
            git = await asyncio.create_subprocess_exec(
                "sleep", "60", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            )
            try:
                await cairn_files.follow_git(git, cairn_hub.Launch(1), self.folder.name, 1 << 19)
            finally:
                git.kill()
                await git.wait()

        async def said():
            stream = asyncio.StreamReader()
            asyncio.get_event_loop().call_soon(stream.feed_data, b"first ")
            asyncio.get_event_loop().call_later(0.01, stream.feed_data, b"second" + bytes(cairn_files.SAID_BYTES))
            asyncio.get_event_loop().call_later(0.02, stream.feed_eof)
            return await cairn_files.beginning(stream)

        read = asyncio.run(said())
        self.assertEqual((read[:12], len(read)), (b"first second", cairn_files.SAID_BYTES))
        with self.assertRaises(cairn_hub.Refused) as refused:
            asyncio.run(follow())
        self.assertEqual(refused.exception.code, "too_large")

    def test_a_launch_holds_a_repository_one_at_a_ref_or_none(self):
        one = {"url": "https://example.org/x", "folder": "x"}
        self.assertEqual(cairn_hub.repository_of({"repository": one}), one)  # as releases before sign it
        self.assertEqual(cairn_hub.repository_of({"repository": {"url": "", "folder": ""}, "checkout": {**one, "ref": "v1"}}), {**one, "ref": "v1"})
        for none in ({"repository": {"url": "", "folder": ""}}, {"repository": {}}, {}):
            self.assertIsNone(cairn_hub.repository_of(none))

    def test_why_git_failed_has_a_code(self):
        for said, code in {
            "could not read Username for 'https://x': terminal prompts disabled": "clone_refused", "repository 'https://x/' not found": "clone_refused",
            "unable to access 'https://x/': The requested URL returned error: 403": "clone_refused",
            "unable to access 'https://x/': Could not resolve host: x": "clone_unreachable", "early EOF": "clone_unreachable", "something else": "",
        }.items():
            self.assertEqual(cairn_files.git_refusal(f"noise\nfatal: {said}\n").code, code, said)
        self.assertEqual(cairn_files.git_refusal("fatal: write error: No space left on device\n").code, "disk_full")

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

    def test_repositories_come_from_public_addresses(self):
        def reach(address):
            return asyncio.run(cairn_files.reachable(cairn_hub.settings(), address))

        self.assertEqual(reach("https://1.1.1.1/o/n.git"), "1.1.1.1:443:1.1.1.1")
        for address in (
            *("ext::sh -c id", "file:///etc", "ssh://example.org/x", "--upload-pack=id", "https://", "https://u:p@1.1.1.1/x", "https://1.1.1.1/x y"),
            *("http://127.0.0.1/x", "http://[::1]/x", "http://10.0.0.1/x", "http://169.254.169.254/latest", "http://192.168.1.1/x"),
            *("http://[::ffff:127.0.0.1]/x", "http://0.0.0.0/x", "http://224.0.0.1/x", "http://localhost/x", "https://1.1.1.1/x?token=1"),
        ):
            with self.subTest(address):
                self.refused(lambda: reach(address))
        self.decided.allow = ["127.0.0.0/8"]
        self.assertEqual(reach("http://127.0.0.1:8080/x"), "127.0.0.1:8080:127.0.0.1")


class Work(unittest.TestCase):
    def test_a_service_whose_hub_ended_before_it_began_ends_too(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        service = {**os.environ, "CAIRN_HUB_PID": str(gone.pid), "CAIRN_ROOT": "/", "CAIRN_TOKEN": "x", "JUPYTERHUB_SERVICE_URL": ""}
        ended = subprocess.run([sys.executable, cairn_work.__file__], env=service, capture_output=True, timeout=600)
        self.assertEqual((ended.returncode, ended.stderr), (0, b""))

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.work = os.path.join(self.folder, "work")
        os.mkdir(self.work)
        self.addCleanup(cairn_work.try_remove, self.folder)

    def put(self, name, content="left out"):
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(content)
        return path

    def nest(self, depth):
        at = os.open(self.work, os.O_PATH)
        for _ in range(depth):
            os.mkdir("d", dir_fd=at)
            inner = os.open("d", os.O_PATH, dir_fd=at)
            os.close(at)
            at = inner
        os.close(at)

    def packed(self):
        work, out = os.open(self.work, os.O_RDONLY), io.BytesIO()
        cairn_work.pack(work, out)
        os.close(work)
        with zipfile.ZipFile(out) as archive:
            return {name: archive.read(name).decode() for name in archive.namelist()}

    def test_deep_folders_are_removed_and_packed_to_a_limit(self):
        self.nest(1500)
        self.put("d/.1/file")
        os.chmod(os.path.join(self.work, "d/d"), 0)
        packed = self.packed()
        self.assertIn("nested too deep", packed[cairn_work.NOTES])
        self.assertEqual(packed["d/" * (cairn_work.DEPTH - 1)], "")
        cairn_work.remove(self.work)
        self.assertFalse(os.path.lexists(self.work))

    def test_what_is_removed_ends_at_links(self):
        kept = os.path.join(self.folder, "kept")
        os.mkdir(kept)
        os.mkdir(os.path.join(self.work, "inner"))
        for name in ("link", "inner/link"):
            os.symlink(kept, os.path.join(self.work, name))
        cairn_work.remove(self.work)
        self.assertTrue(os.path.isdir(kept))

    def test_work_is_packed_without_what_harms(self):
        for name in ("data/x", "repo/.git/hooks/x", "repo/__pycache__/x", ".ipynb_checkpoints/x"):
            self.put(name)
        for name in ("repo/.git/HEAD", "..\\up.txt", "C:x", "two\nlines", "file\u202etxt.exe", "aux", "Aux", "blank "):
            self.put(name, "kept")
        os.symlink("/etc/passwd", os.path.join(self.work, "link"))
        os.truncate(self.put("sparse"), 8 << 30)
        os.link(self.put("repo/one", "data"), os.path.join(self.work, "repo/two"))
        packed = self.packed()
        notes = packed.pop(cairn_work.NOTES)
        self.assertEqual({name for name, content in packed.items() if content == "kept"}, {
            "repo/.git/HEAD", ".._up.txt", "C_x", "two_lines", "file_txt.exe", "blank_", *(name for name in packed if name.lower().startswith("_aux")),
        })
        self.assertEqual(len([name for name in packed if name.lower().startswith("_aux")]), 2)
        self.assertNotIn("left out", packed.values())
        self.assertEqual([packed["repo/one"], packed["repo/two"]], ["data", "data"])
        for told in ("'repo/.git/hooks': Git", "'repo/__pycache__'", "'link': It's a link", "'sparse': It takes", "'aux' is here as "):
            self.assertIn(told, notes)


if __name__ == "__main__":
    unittest.main()
