"""Tests of what the hub fetches from the web: python3 -m unittest, in this folder. make test runs them too."""

import asyncio
import hashlib
import http.server
import io
import ipaddress
import json
import os
import ssl
import stat
import subprocess
import tarfile
import tempfile
import threading
import types
import unittest
import unittest.mock
import zipfile

import cairn_datasets
import cairn_fetch
import cairn_files
import cairn_hub
import cairn_work
from jupyterhub.app import JupyterHub
from test_cairn_hub import mounted, spawner


class Web(http.server.BaseHTTPRequestHandler):
    """Answers with the files of `pages`, by path: content, or the address of a redirect."""

    pages, asked = {}, []

    def do_GET(self):
        Web.asked.append(self.path)
        page = Web.pages.get(self.path.partition("?")[0])
        if isinstance(page, str):
            self.send_response(302)
            self.send_header("Location", page)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200 if page is not None else 404)
        self.send_header("Content-Length", str(len(page or b"") + (self.path == "/short")))
        self.end_headers()
        self.wfile.write(page or b"")

    def log_message(self, *_):
        pass


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            about = zipfile.ZipInfo(name)
            about.external_attr = (stat.S_IFLNK if content == "link" else stat.S_IFREG | 0o4777) << 16
            archive.writestr(about, "/etc/passwd" if content == "link" else content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def tarred(add, mode="w:gz"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, kind, content in add:
            about = tarfile.TarInfo(name)
            about.type, about.size, about.linkname, about.mode = kind, len(content), "/etc/passwd", 0o4777
            archive.addfile(about, io.BytesIO(content))
    return out.getvalue()


@unittest.skipUnless(os.geteuid() == 0, "the sandbox of a hub needs root")
class Datasets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keys = tempfile.TemporaryDirectory()
        key, certificate = cls.keys.name + "/key.pem", cls.keys.name + "/certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=data", "-addext", "subjectAltName=IP:127.0.0.1",
             "-keyout", key, "-out", certificate], check=True, capture_output=True,
        )  # fmt: skip
        os.chmod(cls.keys.name, 0o755)
        cls.web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web)
        cls.web.handle_error = lambda *_: None  # who fetches hangs up on what is too large
        trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        trust.load_cert_chain(certificate, key)
        cls.web.socket = trust.wrap_socket(cls.web.socket, server_side=True)
        threading.Thread(target=cls.web.serve_forever, daemon=True).start()
        cls.address = f"https://127.0.0.1:{cls.web.server_address[1]}"
        os.environ["SSL_CERT_FILE"] = certificate

    @classmethod
    def tearDownClass(cls):
        del os.environ["SSL_CERT_FILE"]
        cls.web.shutdown()
        cls.web.server_close()
        cls.keys.cleanup()

    def setUp(self):
        folder = tempfile.mkdtemp()
        os.chmod(folder, 0o711)
        self.addCleanup(cairn_work.try_remove, folder)
        self.decided = cairn_hub.settings()
        for name, value in {"root": folder, "allow": ["127.0.0.0/8"], "dataset_bytes": 4 << 20, "sandboxed": True, "kept_bytes": 0}.items():
            self.addCleanup(setattr, self.decided, name, getattr(self.decided, name))
            setattr(self.decided, name, value)
        Web.pages, Web.asked[:] = {}, []
        self.said = []

    def fetch(self, path):
        return asyncio.run(cairn_datasets.fetch_dataset(self.decided, self.address + path, "test", self.said.append, set()))

    def refused(self, path, part):
        with self.assertRaises(cairn_datasets.Unfetched) as refused:
            self.fetch(path)
        self.assertIn(part, str(refused.exception))
        self.assertEqual(os.listdir(self.decided.root + "/.datasets"), [], "something is left")
        return refused.exception.code

    def test_a_dataset_is_fetched_once_and_belongs_to_nobody(self):
        Web.pages = {"/d/values.csv": b"1,2\n", "/moved": "/d/values.csv"}
        content = self.fetch("/moved?token=secret")
        with open(content, "rb") as file:
            self.assertEqual(file.read(), b"1,2\n")
        about = os.lstat(content)
        self.assertEqual((stat.S_IMODE(about.st_mode), about.st_uid >= self.decided.first_account), (0o444, True))
        with open(os.path.dirname(content) + "/dataset.json") as file:
            kept = json.load(file)
        self.assertEqual((kept["sha256"], kept["bytes"]), (hashlib.sha256(b"1,2\n").hexdigest(), 4))
        self.assertEqual(os.lstat(os.path.dirname(content)).st_uid, 0)
        asked = len(Web.asked)
        self.assertEqual((self.fetch("/moved?token=secret"), len(Web.asked)), (content, asked))
        self.assertIn("kept from before", self.said)

    def test_launches_that_want_the_same_share_one_fetch(self):
        Web.pages = {"/x": b"x"}

        async def both():
            one = [cairn_datasets.fetch_dataset(self.decided, self.address + "/x", "test", self.said.append, set()) for _ in range(2)]
            return await asyncio.gather(*one)

        first, second = asyncio.run(both())
        self.assertEqual((first, Web.asked), (second, ["/x"]))
        self.assertIn("another session is fetching it", self.said)

    def test_archives_are_unpacked_without_links_devices_and_rights(self):
        Web.pages = {
            "/a.zip": zipped({"in/one.txt": "one", "link": "link", "./two.txt": "two", "empty/": ""}),
            "/a.tgz": tarred([("in/one.txt", tarfile.REGTYPE, b"one"), ("link", tarfile.SYMTYPE, b""), ("hard", tarfile.LNKTYPE, b""),
                              ("device", tarfile.CHRTYPE, b""), ("pipe", tarfile.FIFOTYPE, b""), ("./two.txt", tarfile.REGTYPE, b"two"), ("empty", tarfile.DIRTYPE, b"")]),
        }  # fmt: skip
        for path in Web.pages:
            with self.subTest(path):
                content = self.fetch(path)
                self.assertEqual(sorted(os.listdir(content)), ["empty", "in", "two.txt"])
                with open(content + "/in/one.txt") as file:
                    self.assertEqual(file.read(), "one")
                self.assertEqual([stat.S_IMODE(os.lstat(content + name).st_mode) for name in ("/in/one.txt", "/in", "")], [0o444, 0o555, 0o755])

    def test_archives_that_lead_outside_or_have_no_end_are_refused(self):
        up, bomb = b"x", bytes(8 << 20)
        for path, content, part in (
            ("/a.zip", zipped({"../up.txt": "x"}), "points elsewhere"), ("/b.zip", zipped({"/etc/x": "x"}), "points elsewhere"),
            ("/c.zip", zipped({"a\\..\\b": "x"}), "points elsewhere"), ("/d.tar", tarred([("in/../../up", tarfile.REGTYPE, up)], "w"), "points elsewhere"),
            ("/e.zip", zipped({"bomb": bomb}), "larger than"), ("/f.tgz", tarred([("bomb", tarfile.REGTYPE, bomb)]), "larger than"),
            ("/g.zip", zipped({"/".join("d" * 250): "x"}), "nests folders"), ("/h.zip", b"no archive", "is damaged"), ("/i.tgz", b"\x1f\x8bxx", "is damaged"),
            ("/j.tgz", tarred([("x", tarfile.REGTYPE, os.urandom(9999))])[:5000], "is damaged"), ("/k.zip", zipped({"a": "x", "a/b": "y"}), "is damaged"),
        ):  # fmt: skip
            Web.pages = {path: content}
            with self.subTest(path):
                self.assertEqual(self.refused(path, part), "too_large" if part == "larger than" else "")
        self.assertEqual(os.listdir(self.decided.root), [".datasets"])

    def test_only_public_addresses_are_asked_also_after_redirects(self):
        Web.pages = {"/in": "https://10.0.0.1/x", "/plain": "http://1.1.1.1/x", "/mail": "https://1.1.1.1:25/x", "/round": "/round", "/user": "https://u:p@1.1.1.1/x"}
        for path, part in (("/in", "on the public internet"), ("/plain", "https://"), ("/mail", "port 25"), ("/round", "without end"), ("/user", "password"), ("/absent", "404")):
            with self.subTest(path):
                self.refused(path, part)
        self.decided.allow = []
        Web.asked.clear()
        self.refused("/in", "on the public internet")
        self.assertEqual(Web.asked, [])
        for text in ("127.0.0.1", "10.1.2.3", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "168.63.129.16", "::1", "fd00::1", "fe80::1",
                     "::ffff:10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::a00:1", "2002:a00:1::1", "2001:0:a00:1::1"):  # fmt: skip
            self.assertFalse(cairn_fetch.public(ipaddress.ip_address(text)), text)
        for text in ("1.1.1.1", "2606:4700:4700::1111"):
            self.assertTrue(cairn_fetch.public(ipaddress.ip_address(text)), text)

    def test_what_is_too_large_or_incomplete_leaves_nothing(self):
        Web.pages = {"/big": bytes((4 << 20) + 1), "/short": b"x"}
        self.assertEqual(self.refused("/big", "larger than"), "too_large")
        self.refused("/short", "in the middle")
        self.decided.dataset_bytes = 0
        with self.assertRaises(cairn_hub.Refused) as refused:
            asyncio.run(cairn_files.place_datasets(self.decided, [{"id": "1", "name": "D", "folder": "d", "url": self.address + "/x"}]))
        self.assertEqual((refused.exception.missing, refused.exception.code), (["1"], "dataset_missing"))

    def test_what_was_used_least_recently_makes_room_and_what_is_in_use_stays(self):
        Web.pages = {f"/{name}": b"x" * (1 << 20) for name in "abcde"}
        self.decided.kept_bytes = 0
        for at, name in enumerate("abcd"):
            os.utime(os.path.dirname(self.fetch("/" + name)), (at, at))
        self.fetch("/a")
        digest = {hashlib.sha256(f"{self.address}/{name}".encode()).hexdigest(): name for name in "abcde"}
        used = next(f"{self.decided.root}/.datasets/{one}" for one, name in digest.items() if name == "b")
        environment = self.decided.root + "/.people/ann/packages"
        os.makedirs(environment)
        with open(environment + "/library", "wb") as file:
            file.write(b"x" * (1 << 20))
        os.utime(environment, (1.5, 1.5))
        self.decided.kept_bytes = 3 << 20 | 1 << 18
        with unittest.mock.patch.object(cairn_hub.Cairn, "in_use", lambda _: {used}):
            self.fetch("/d")  # which was used after a then
            self.assertTrue(os.path.exists(environment), "nothing is removed while nothing is added")
            self.fetch("/e")
        self.assertEqual("".join(sorted(digest[one] for one in os.listdir(self.decided.root + "/.datasets"))), "bde")
        self.assertEqual(os.listdir(os.path.dirname(environment)), [])
        self.assertEqual(self.fetch("/b"), used + "/content")

    def test_what_a_launch_is_about_to_use_stays_also_while_it_fetches_more(self):
        Web.pages = {"/first": b"x" * 4096, "/second": b"x" * 4096}
        self.decided.kept_bytes = 1
        one, launch = spawner("", {}), cairn_hub.Launch(1, ("datasets",))
        one.active, one.cairn_launch = True, launch
        asked = [{"id": name, "name": name, "folder": name, "url": f"{self.address}/{name}"} for name in ("first", "second")]
        with unittest.mock.patch.object(JupyterHub, "instance", lambda: types.SimpleNamespace(users={1: types.SimpleNamespace(spawners={"": one})})):
            mounts = asyncio.run(cairn_hub.place_datasets(self.decided, asked, launch))
            self.assertEqual([os.path.exists(path) for path, _ in mounts], [True, True])
            self.assertEqual(self.decided.in_use(), {os.path.dirname(path) for path, _ in mounts})
            one.cairn_launch, one.cairn_past = None, launch.view()  # a hub that started since
            self.assertEqual(self.decided.in_use(), {os.path.dirname(path) for path, _ in mounts})
            one.active = False
            self.assertEqual(self.decided.in_use(), set())

    def test_a_disk_that_is_nearly_full_is_told_as_such(self):
        Web.pages = {"/x": b"x"}
        mounted(self, self.decided.root, "size=64m,mode=0711")
        self.assertEqual(self.refused("/x", "the hub's disk is nearly full"), "disk_full")

    def test_a_launch_names_the_dataset_that_failed(self):
        launch = cairn_hub.Launch(1)
        dataset = {"id": "7", "name": "Spikes", "folder": "spikes", "url": self.address + "/absent"}
        with self.assertRaises(cairn_hub.Refused) as refused:
            asyncio.run(cairn_files.place_datasets(self.decided, [dataset], launch))
        self.assertEqual((str(refused.exception), refused.exception.missing), ("The dataset “Spikes” couldn't be fetched: 127.0.0.1 answers 404.", ["7"]))
        self.assertEqual(launch.steps[1]["detail"], "“Spikes”: asked for")

    def test_what_a_sandbox_leaves_is_not_followed(self):
        real = cairn_datasets.run_aside
        self.addCleanup(setattr, cairn_datasets, "run_aside", real)

        async def taken_over(decided, account, folder, script, arguments, asked, heard):
            if arguments == ["unpack"]:
                os.symlink("/etc/shadow", folder + "/content")
            heard({"done": {}})

        cairn_datasets.run_aside = taken_over
        self.refused("/x", "neither a file nor a folder")

    def test_a_fetch_that_is_taken_back_leaves_no_process_and_no_folder(self):
        arrived, go_on = threading.Event(), threading.Event()
        self.addCleanup(go_on.set)

        class Slow(bytes):
            def __len__(self):
                arrived.set()
                go_on.wait(60)
                return 0

        Web.pages = {"/slow": Slow()}

        async def cancel():
            task = asyncio.ensure_future(cairn_datasets.fetch_dataset(self.decided, self.address + "/slow", "test", self.said.append, set()))
            await asyncio.get_event_loop().run_in_executor(None, arrived.wait, 60)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        asyncio.run(cancel())
        self.assertEqual(os.listdir(self.decided.root + "/.datasets"), [])


if __name__ == "__main__":
    unittest.main()
