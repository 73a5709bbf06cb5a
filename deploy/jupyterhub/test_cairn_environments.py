"""Tests of the environments that the hub makes for people: python3 -m unittest, in this folder. make test runs them too."""

import asyncio
import base64
import functools
import hashlib
import http.server
import io
import json
import os
import subprocess
import tempfile
import threading
import unittest
import zipfile

import cairn_box
import cairn_environment
import cairn_environments
import cairn_hub
import cairn_work
from test_cairn_hub import mounted


def wheel(name, requires=(), size=0):
    """Returns a wheel with one module, padded to a size."""
    about = f"{name}-1.0.dist-info"
    files = {
        f"{name}.py": "answer = 42\n" + "#" * size + "\n", f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n" + "".join(f"Requires-Dist: {one}\n" for one in requires),
    }  # fmt: skip
    record, out = "", io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(text)}\n"
        archive.writestr(f"{about}/RECORD", record + f"{about}/RECORD,,\n")
    return out.getvalue()


def index_of_packages(test, folder):
    """Makes hubs use an index with three packages, one of them large, while a test runs, and returns the list of what is asked of it."""
    asked = []

    class Index(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            super().do_GET()

        def log_message(self, *_):
            pass

    for name, needs in {"firefly": (), "glowworm": ("absent-package",), "whale": ()}.items():
        os.makedirs(f"{folder}/index/simple/{name}")
        file = f"{name}-1.0-py3-none-any.whl"
        with open(f"{folder}/index/simple/{name}/{file}", "wb") as out:
            out.write(wheel(name, needs, 2 << 20 if name == "whale" else 0))
        with open(f"{folder}/index/simple/{name}/index.html", "w") as out:
            out.write(f'<!DOCTYPE html><a href="{file}">{file}</a>')
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Index, directory=folder + "/index"))
    threading.Thread(target=web.serve_forever, daemon=True).start()
    test.addCleanup(web.server_close)
    test.addCleanup(web.shutdown)
    decided = cairn_hub.settings()
    test.addCleanup(setattr, decided, "pip_index_url", decided.pip_index_url)
    decided.pip_index_url = f"http://127.0.0.1:{web.server_address[1]}/simple/"
    return asked


@unittest.skipUnless(os.geteuid() == 0, "the sandbox of a hub needs root")
class Environments(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp()
        os.chmod(folder, 0o711)
        self.addCleanup(cairn_work.try_remove, folder)
        self.decided = cairn_hub.settings()
        for name, value in {"root": folder + "/root", "sandboxed": True}.items():
            self.addCleanup(setattr, self.decided, name, getattr(self.decided, name))
            setattr(self.decided, name, value)
        os.mkdir(self.decided.root)
        self.asked = index_of_packages(self, folder)
        self.launch = cairn_hub.Launch(1, ("environment",))

    async def place(self, lines, owner="ann@example.org", disk=0):
        return await cairn_environments.place_environment(self.decided, owner, lines, self.launch, {"disk": disk}, [])

    def refused(self, lines, part):
        with self.assertRaises(cairn_hub.Refused) as refused:
            asyncio.run(self.place(lines))
        self.assertIn(part, str(refused.exception))
        left = [os.listdir(folder) for folder, _, _ in os.walk(self.decided.root) if folder.count("/") == self.decided.root.count("/") + 2]
        self.assertEqual([name for names in left for name in names], [], "something is left")
        return refused.exception.code

    def test_packages_are_installed_once_for_each_person_and_nobody_can_change_them(self):
        lines = ["firefly>=1", "glowworm", "absent==3", "python>=4"]
        folder, inside, left = asyncio.run(self.place(lines))
        self.assertEqual({one["what"]: one["why"] for one in left}, {
            "glowworm": "It needs absent-package, which the package index doesn't have.", "absent==3": "The package index has no version that fits.",
            "Python>=4": f"Sessions on this hub have Python {'.'.join(map(str, __import__('sys').version_info[:3]))}.",
        })
        self.assertIn("Successfully installed firefly-1.0", self.launch.log)
        session = self.decided.account("a session")
        with cairn_box.call_filter() as calls:
            command = cairn_box.sandbox(session, ["--ro-bind", folder, inside], "/", calls)
            command += [inside + "/bin/python", "-c", "import firefly, sys; print(firefly.answer, sys.prefix); open(sys.prefix + '/x', 'w')"]
            ended = subprocess.run(command, pass_fds=calls, capture_output=True, text=True)
        self.assertEqual(ended.stdout.split(), ["42", inside], ended.stderr)
        self.assertRegex(ended.stderr, "Read-only file system|Permission denied")
        self.assertNotIn(os.lstat(folder).st_uid, (0, session))

        count = len(self.asked)
        self.assertEqual(asyncio.run(self.place(lines)), (folder, inside, left))
        self.assertEqual((len(self.asked), self.launch.steps[0]["detail"]), (count, "Kept from before"))

        other, _, _ = asyncio.run(self.place(["firefly>=1"], owner="bob@example.org"))
        self.assertGreater(len(self.asked), count)
        self.assertNotEqual(os.path.dirname(os.path.dirname(other)), os.path.dirname(os.path.dirname(folder)))
        self.assertNotEqual(os.lstat(other).st_uid, os.lstat(folder).st_uid)

    def test_two_starts_at_once_make_one_environment(self):
        async def both():
            return await asyncio.gather(self.place(["firefly"]), self.place(["firefly"]))

        first, second = asyncio.run(both())
        self.assertEqual(first, second)
        self.assertEqual(len([path for path in self.asked if path.endswith(".whl")]), 1)

    def test_an_index_that_is_away_is_told_as_such(self):
        self.decided.pip_index_url = "http://127.0.0.1:9/simple/"
        self.assertEqual(self.refused(["firefly"], "The package index can't be reached"), "index_unreachable")
        self.decided.pip_index_url = "ftp://example.org/"
        self.assertEqual(self.refused(["firefly"], "can't be used"), "server_fault")

    def test_a_full_disk_is_told_as_such(self):
        for size in ("16k", "1m"):  # too small for the environment, and for the package
            with self.subTest(size):
                mounted(self, self.decided.root, "mode=0711,size=" + size)
                self.assertEqual(self.refused(["whale"], "disk is full"), "disk_full")

    def test_lists_that_are_no_lists_are_refused(self):
        for lines in ("firefly", [1], [""], ["--index-url=https://example.org"], ["a\n--pre"], ["x" * 2000], ["x"] * 501):
            with self.subTest(lines), self.assertRaises(cairn_hub.Refused) as refused:
                cairn_environments.checked(lines)
            self.assertEqual(refused.exception.code, "server_fault")

    def test_an_installation_that_is_taken_back_leaves_no_process_and_no_folder(self):
        owner = "nobody.else@example.org"  # other tests run beside this one

        async def cancel():
            task = asyncio.ensure_future(self.place(["firefly"], owner))
            while not self.launch.steps[0]["detail"] and not task.done():
                await asyncio.wait({task, asyncio.ensure_future(self.launch.changed.wait())}, return_when=asyncio.FIRST_COMPLETED)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        asyncio.run(cancel())
        self.assertEqual([names for folder, names, _ in os.walk(self.decided.root + "/.people") if folder.count("/") > self.decided.root.count("/") + 1], [[]])
        self.assertEqual(subprocess.run(["pgrep", "-a", "-r", "D,R,S,T", "-u", str(self.decided.account("person " + owner))], capture_output=True).stdout, b"")

    def test_what_takes_too_much_ends(self):
        with self.assertRaises(cairn_hub.Refused) as refused:
            asyncio.run(self.watched())
        self.assertEqual(refused.exception.code, "too_large")

    async def watched(self):
        real = cairn_environments.run_aside
        self.addCleanup(setattr, cairn_environments, "run_aside", real)

        async def endless(decided, account, folder, *_, **__):
            with open(folder + "/big", "wb") as file:
                file.write(os.urandom(1 << 20))
            await asyncio.Event().wait()

        cairn_environments.run_aside = endless
        await self.place(["firefly"], disk=1 << 19)

    def test_what_pip_prints_is_understood(self):
        pip = cairn_environment.Pip("/x", "")
        cairn_environment.tell = lambda **_: None
        pip.read("ERROR: Could not find a version that satisfies the requirement b>1 (from a-b) (from versions: none)")
        self.assertEqual(pip.lacking, ("a-b", "b>1"))
        self.assertEqual(cairn_environment.without(["z", "A.B[x]>=1 --hash=sha256:00"], pip.lacking),
                         (["z"], {"what": "A.B[x]>=1", "why": "It needs b>1, which the package index doesn't have."}))
        self.assertEqual(cairn_environment.without(["z"], pip.lacking), (None, None))
        pip.read("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device")
        self.assertEqual(pip.failure()[1], "disk_full")


class Wishes(unittest.TestCase):
    """The hook asks Cairn what to install, once the repository is there."""

    def spawner(self, installs=True):
        from test_cairn_hub import spawner

        made = spawner("", {})
        made.cairn_makes_environments, made.cairn_limits, made.cairn_launch = installs, {"disk": 0}, cairn_hub.Launch(1, ("environment",))
        made.cairn_launch.files = {"requirements.txt": "firefly"}
        return made

    def test_only_launches_of_releases_that_answer_install(self):
        one = {"repository": {"url": "https://example.org/x", "folder": "x"}, "environment": True}
        self.assertTrue(self.spawner().cairn_installs(one))
        self.assertFalse(self.spawner(installs=False).cairn_installs(one))
        self.assertFalse(self.spawner().cairn_installs({**one, "environment": False}))
        self.assertFalse(self.spawner().cairn_installs({"repository": one["repository"]}))  # as releases before sign it
        self.assertFalse(self.spawner().cairn_installs({"repository": {}, "environment": True}))
        decided = cairn_hub.settings()
        self.addCleanup(setattr, decided, "environments", True)
        decided.environments = False
        self.assertFalse(self.spawner().cairn_installs(one))

    def test_a_launch_waits_for_the_packages_and_takes_only_its_own(self):
        async def install(lines, launch=1):
            made = self.spawner()
            task = asyncio.ensure_future(made._cairn_install({"owner": "ann@example.org"}, made.cairn_launch))
            await made.cairn_launch.changed.wait()
            self.assertTrue(made.cairn_launch.view(whole=False)["asks"])
            self.assertFalse(made.cairn_take_wishes({"launch": launch + 1, "packages": ["other"]}))
            for _ in range(2):
                self.assertTrue(made.cairn_take_wishes({"launch": launch, "packages": lines}))
            await task
            return made

        made = asyncio.run(install([]))
        self.assertEqual((made.cairn_launch.left, made.cairn_environment, made.cairn_launch.view(whole=False)["asks"]), ([], None, False))

    def test_a_catalog_that_does_not_answer_ends_the_launch_in_words(self):
        decided = cairn_hub.settings()
        self.addCleanup(setattr, decided, "wishes_timeout", decided.wishes_timeout)
        decided.wishes_timeout = 0
        made = self.spawner()
        with self.assertRaises(cairn_hub.Refused) as refused:
            asyncio.run(made._cairn_install({"owner": "ann@example.org"}, made.cairn_launch))
        self.assertEqual(refused.exception.code, "server_fault")

    def test_the_kernel_is_the_environments_python(self):
        with tempfile.TemporaryDirectory() as folder:
            cairn_hub.write_kernel(folder, cairn_environments.kernel("/session/environments/k"))
            with open(folder + "/jupyter/kernels/python3/kernel.json") as file:
                self.assertEqual(json.load(file)["argv"][0], "/session/environments/k/bin/python")


if __name__ == "__main__":
    unittest.main()
