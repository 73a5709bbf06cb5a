"""Tests of the proxy that outlives its hub: python3 -m unittest, in this folder. make test runs them too."""

import asyncio
import os
import signal
import socket
import tempfile
import types
import unittest

from cairn_proxy import KeptProxy


def free_ports(count):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Proxy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.pid_file = folder.name + "/proxy.pid"
        self.public, self.api = free_ports(2)

    def proxy(self, **more):
        """A proxy as another start of the hub makes it."""
        app = types.SimpleNamespace(subdomain_host="", internal_ssl=False)
        given = {"auth_token": "a-token", "public_url": f"http://127.0.0.1:{self.public}/", "pid_file": self.pid_file, **more}
        command = ["/usr/bin/env", "NODE_PATH=/usr/share/nodejs", "/usr/bin/configurable-http-proxy"]
        made = KeptProxy(app=app, hub=types.SimpleNamespace(url="http://127.0.0.1:1/hub/"), api_url=f"http://127.0.0.1:{self.api}", command=command, **given)
        self.addCleanup(self.end, made)
        return made

    def end(self, proxy):
        if proxy.proxy_process is not None and proxy.proxy_process.poll() is None:
            os.kill(proxy.proxy_process.pid, signal.SIGKILL)
            if hasattr(proxy.proxy_process, "wait"):
                proxy.proxy_process.wait()

    def test_the_next_hub_keeps_the_proxy_its_routes_and_its_connections(self):
        async def lives():
            await (first := self.proxy()).start()
            await first.add_route("/user/ann/", "http://127.0.0.1:1", {})
            reader, writer = await asyncio.open_connection("127.0.0.1", self.public)
            await (second := self.proxy()).start()
            self.assertEqual(second.proxy_process.pid, first.proxy_process.pid)
            self.assertIn("/user/ann/", await second.get_all_routes())
            writer.write(b"GET /elsewhere HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
            self.assertTrue((await reader.read()).startswith(b"HTTP/1.1 "))
            writer.close()

            restored = []
            second.restore_routes = lambda: asyncio.sleep(0, restored.append(True))
            self.end(first)
            await second.check_running()
            self.assertNotEqual(second.proxy_process.pid, first.proxy_process.pid)
            self.assertEqual(restored, [True])
            second.stop()
            second.proxy_process.wait()
            self.assertFalse(os.path.exists(self.pid_file))

        asyncio.run(lives())

    def test_a_proxy_that_listens_elsewhere_or_has_another_token_is_replaced(self):
        async def lives():
            await (first := self.proxy()).start()
            self.assertIsNone(await self.proxy(auth_token="another").left())
            self.assertIsNone(await self.proxy(log_level="warn").left())
            self.assertIsNone(await self.proxy(public_url="http://127.0.0.1:2/").left())
            self.assertEqual(await self.proxy().left(), first.proxy_process.pid)
            with open(self.pid_file, "w") as file:
                file.write(str(os.getpid()))
            self.assertIsNone(await self.proxy().left(), "a process that is no proxy")

        asyncio.run(lives())
