"""A proxy that outlives its hub with all connections through it. JupyterHub itself ends the proxy of an earlier start and starts
another: pages of notebooks then lose their kernels for seconds, and take one for dead whose connection was a moment old."""

import os
import signal

from cairn_box import alive
from jupyterhub.objects import Server
from jupyterhub.proxy import ConfigurableHTTPProxy
from jupyterhub.utils import url_path_join
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.ioloop import PeriodicCallback


class Found:
    """The process of a proxy that an earlier start of the hub started, with what JupyterHub asks of one that it started."""

    def __init__(self, pid):
        self.pid = pid

    def poll(self):
        return None if alive(self.pid) else "unknown"

    def terminate(self):
        os.kill(self.pid, signal.SIGTERM)


class KeptProxy(ConfigurableHTTPProxy):
    async def start(self):
        pid = await self.left()
        if pid is None:
            return await super().start()
        self.log.info("The proxy of before goes on at pid=%s", pid)
        self.proxy_process = Found(pid)
        self._check_running_callback = PeriodicCallback(self.check_running, 1e3 * self.check_running_interval)
        self._check_running_callback.start()

    async def left(self):
        """Returns the process of a proxy that listens where this hub's does, for the same hub and with the same token, or None."""
        try:
            with open(self.pid_file) as file:
                pid = int(file.read())
            with open(f"/proc/{pid}/cmdline") as file:
                given = file.read().split("\0")[:-1]
            if given[-len(self.wanted()) :] != self.wanted():
                return None
            asked = HTTPRequest(url_path_join(self.api_url, "api/routes"), headers={"Authorization": "token " + self.auth_token}, connect_timeout=3, request_timeout=5)
            await AsyncHTTPClient().fetch(asked)
        except Exception as problem:  # whatever it is, the hub replaces it
            self.log.info("No proxy of before can be used: %s", problem)
            return None
        return pid

    def wanted(self):
        """Returns the options that JupyterHub gives to a proxy without certificates; one with them is replaced."""
        public, api = Server.from_url(self.public_url), Server.from_url(self.api_url)
        places = ["--ip", public.ip, "--port", str(public.port), "--api-ip", api.ip, "--api-port", str(api.port)]
        options = [*places, "--error-target", url_path_join(self.hub.url, "error"), "--log-level", self.log_level]
        return [*options, "--host-routing"] if self.app.subdomain_host else options
