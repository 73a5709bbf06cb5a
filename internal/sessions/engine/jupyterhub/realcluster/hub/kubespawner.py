"""A stand-in for KubeSpawner 6, which no registry of this project has: it makes, watches, asks for and deletes real pods of a real
API server, in the order and with the patience of KubeSpawner, as far as CairnKubeSpawner uses it. What it makes of a pod is what
KubeSpawner makes, field by field."""

import asyncio
import json
import os
from urllib.parse import urlencode

from jupyterhub.spawner import Spawner
from jupyterhub.utils import exponential_backoff
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from traitlets import Dict, Integer, List, Unicode, default

HOST, TOKEN, AUTHORITY = (os.environ["CLUSTER_" + name] for name in ("URL", "TOKEN", "AUTHORITY"))
NAMESPACE = os.environ["CLUSTER_NAMESPACE"]
COMPONENT = "component=singleuser-server"
reflectors = {}


async def ask(method, kind, name="", body=None, hear=None, **query):
    """Asks the API server for objects of the namespace; a watch is told in parts."""
    address = f"{HOST}/api/v1/namespaces/{NAMESPACE}/{kind}" + (f"/{name}" if name else "") + (f"?{urlencode(query)}" if query else "")
    request = HTTPRequest(
        address, method, {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}, json.dumps(body) if body else None,
        ca_certs=AUTHORITY, allow_nonstandard_methods=True, request_timeout=0 if hear else 20, streaming_callback=hear,
    )  # fmt: skip
    return (await AsyncHTTPClient(force_instance=True).fetch(request)).body


class Reflector:
    """All objects of a kind, as the API server told them last."""

    def __init__(self, log, kind, **query):
        self.log, self.kind, self.query, self.resources = log, kind, query, {}
        self.loaded = asyncio.get_event_loop().create_future()
        self.following = asyncio.ensure_future(self.follow())

    @property
    def pods(self):
        return self.resources

    @property
    def events(self):
        return sorted(self.resources.values(), key=lambda event: event["lastTimestamp"] or event["eventTime"])

    async def follow(self):
        while True:
            try:
                listed = json.loads(await ask("GET", self.kind, **self.query))
                self.resources = {key_of(one): one for one in listed["items"]}
                if not self.loaded.done():
                    self.loaded.set_result(None)
                self.rest = b""
                await ask("GET", self.kind, hear=self.hear, watch=1, resourceVersion=listed["metadata"]["resourceVersion"], timeoutSeconds=10, **self.query)
            except Exception:
                self.log.exception("Watching %s failed", self.kind)
                await asyncio.sleep(0.2)

    def hear(self, part):
        *lines, self.rest = (self.rest + part).split(b"\n")
        for change in map(json.loads, lines):
            if change["type"] == "DELETED":
                self.resources.pop(key_of(change["object"]), None)
            elif change["type"] != "ERROR":
                self.resources[key_of(change["object"])] = change["object"]


def key_of(one):
    return f"{one['metadata']['namespace']}/{one['metadata']['name']}"


class KubeSpawner(Spawner):
    image = Unicode("quay.io/jupyterhub/singleuser:latest").tag(config=True)
    image_pull_policy = Unicode("IfNotPresent", allow_none=True).tag(config=True)
    common_labels = Dict({"app": "jupyterhub", "heritage": "jupyterhub"}).tag(config=True)
    priority_class_name = Unicode().tag(config=True)
    node_selector = Dict().tag(config=True)
    tolerations = List().tag(config=True)
    extra_resource_limits = Dict().tag(config=True)
    extra_resource_guarantees = Dict().tag(config=True)
    extra_pod_config = Dict().tag(config=True)
    init_containers = List().tag(config=True)
    uid = Integer(None, allow_none=True).tag(config=True)
    gid = Integer(None, allow_none=True).tag(config=True)
    volumes = List().tag(config=True)
    volume_mounts = List().tag(config=True)
    working_dir = Unicode(None, allow_none=True).tag(config=True)
    delete_grace_period = Integer(1).tag(config=True)
    namespace = NAMESPACE

    @default("ip")
    def _ip(self):
        return "0.0.0.0"

    @default("port")
    def _port(self):
        return 8888

    @property
    def pod_name(self):
        return f"jupyter-{self.name}"

    @property
    def key(self):
        return f"{self.namespace}/{self.pod_name}"

    @property
    def pod_reflector(self):
        return reflectors.get("pods")

    @property
    def events(self):
        return [event for event in reflectors["events"].events if event["involvedObject"]["name"] == self.pod_name]

    async def watch(self, kind, **query):
        if kind not in reflectors:
            reflectors[kind] = Reflector(self.log, kind, **query)
        await asyncio.shield(reflectors[kind].loaded)

    async def _start_watching_pods(self):
        await self.watch("pods", labelSelector=COMPONENT)

    async def _start_watching_events(self):
        await self.watch("events", fieldSelector="involvedObject.kind=Pod")

    def expanded(self, value):
        if isinstance(value, list):
            return [self.expanded(one) for one in value]
        if isinstance(value, dict):
            return {key: self.expanded(one) for key, one in value.items()}
        return value.format(username=self.user.name, servername=self.name) if isinstance(value, str) else value

    def manifest(self):
        def given(**several):
            return {key: one for key, one in several.items() if one not in (None, [], {})}

        limits = given(memory=self.mem_limit, cpu=self.cpu_limit, **self.extra_resource_limits)
        requests = given(memory=self.mem_guarantee, cpu=self.cpu_guarantee, **self.extra_resource_guarantees)
        main = {
            "name": "notebook", "image": self.image, "args": self.cmd + self.get_args(), "ports": [{"name": "notebook-port", "containerPort": self.port}],
            "env": [{"name": name, "value": str(value)} for name, value in self.get_env().items()],
            "resources": {"limits": limits, "requests": requests}, "volumeMounts": self.expanded(self.volume_mounts),
            **given(
                imagePullPolicy=self.image_pull_policy, workingDir=self.working_dir,
                securityContext={**given(runAsUser=self.uid, runAsGroup=self.gid), "allowPrivilegeEscalation": False},
            ),
        }  # fmt: skip
        spec = {
            "restartPolicy": "OnFailure", "automountServiceAccountToken": False, "containers": [main], "volumes": self.expanded(self.volumes),
            **given(nodeSelector=self.node_selector, tolerations=self.tolerations, initContainers=self.expanded(self.init_containers)),
            **({"priorityClassName": self.priority_class_name} if self.priority_class_name else {}),
            **self.expanded(self.extra_pod_config),
        }  # fmt: skip
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": self.pod_name, "labels": {**self.common_labels, **dict([COMPONENT.split("=")])}}, "spec": spec}

    def start(self):
        self._start_future = asyncio.ensure_future(self._start())
        return self._start_future

    async def _start(self):
        await self._start_watching_pods()
        await self._start_watching_events()
        pod = self.manifest()
        await exponential_backoff(lambda: self.make(pod), f"Could not create pod {self.pod_name}", timeout=60)
        await exponential_backoff(
            lambda: self.is_pod_running(self.pod_reflector.pods.get(self.key)),
            f"pod {self.key} did not start in {self.start_timeout} seconds!", timeout=self.start_timeout,
        )  # fmt: skip
        return f"http://{self.pod_reflector.pods[self.key]['status']['podIP']}:{self.port}"

    async def make(self, pod):
        try:
            await ask("POST", "pods", body=pod, fieldValidation="Strict")
        except HTTPClientError as refused:
            if refused.code != 409:
                self.log.error("The API server refuses a pod: %s", refused.response and refused.response.body)
                raise
            await self.stop(True)
            return False
        return True

    def is_pod_running(self, pod):
        return (
            pod is not None and pod["status"]["phase"] == "Running" and pod["status"]["podIP"] is not None
            and "deletionTimestamp" not in pod["metadata"] and all(one["ready"] for one in pod["status"]["containerStatuses"])
        )  # fmt: skip

    async def poll(self):
        await self._start_watching_pods()
        pod = self.pod_reflector.pods.get(self.key)
        if pod is None:
            return 1
        if pod["status"]["phase"] == "Pending":
            return None
        if "containerStatuses" not in pod["status"]:
            return 1
        for one in pod["status"]["containerStatuses"]:
            if one["name"] == "notebook" and "terminated" in one["state"]:
                await self.stop(now=True)
                return one["state"]["terminated"]["exitCode"]
        return None

    async def stop(self, now=False):
        await self._start_watching_pods()
        try:
            await ask("DELETE", "pods", self.pod_name, gracePeriodSeconds=0 if now else self.delete_grace_period)
        except HTTPClientError as refused:
            if refused.code != 404:
                raise
        await exponential_backoff(lambda: self.key not in self.pod_reflector.pods, f"pod {self.key} did not disappear in time", timeout=self.start_timeout)
