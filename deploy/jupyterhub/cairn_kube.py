"""Cairn's sessions on Kubernetes (docs/kubernetes.md). What it shares with CairnLocalSpawner is tested with that; what it asks of
KubeSpawner, and what it understands of pods, with a stand-in (test_cairn_kube.py).

The agent's pod and the pods of the sessions mount one ReadWriteMany claim, the hub's too, at Cairn.root. The same agent as on one
machine does all that has to do with files, and a session sees nothing of the claim but its own folder."""

import asyncio
import os
import socket
import time
from urllib.parse import urlsplit

import cairn_pod
from cairn_box import LOG_BYTES
from cairn_hub import DETAIL_LENGTH, Cairn, CairnSpawnerMixin, Refused, settings
from cairn_pod_environment import CONTAINER, SECONDS, PodEnvironment
from kubespawner import KubeSpawner
from traitlets import Dict, Float, Integer, Unicode

# What a size may change in a pod, besides limits.
SIZED = ("cmd", "args", "common_labels", "priority_class_name", "image", "node_selector", "tolerations", "extra_resource_limits", "extra_resource_guarantees", "init_containers", "extra_pod_config")
DISK = "ephemeral-storage"
DATA = "/session/work/data"  # on one machine, a folder with what datasets are mounted on
LOOK = 0.25  # seconds between two looks at a pod that runs: a kubelet takes about a second to end one, and then it's gone


class CairnKubeSpawner(CairnSpawnerMixin, KubeSpawner):
    cairn_work_claim = Unicode("cairn-work", help="The ReadWriteMany claim that is mounted at Cairn.root").tag(config=True)
    cairn_data_claim = Unicode("cairn-data", help="The claim that is mounted at Cairn.data_root").tag(config=True)
    cairn_memory = Integer(2 << 30, help="Bytes of memory of a session for which neither Cairn nor the hub sets any").tag(config=True)
    cairn_cpu = Float(1, help="Processors likewise").tag(config=True)
    cairn_share = Float(0.25, help="How much of its limits a pod requests: what the scheduler keeps for it on a node").tag(config=True)

    cairn_look = Float(1, help="Seconds between two looks at a pod that starts").tag(config=True)

    cairn_installs_packages = "pod"
    cairn_environment = None  # what Jupyter's container needs of its environment, as the agent says
    _cairn_standard = None  # what the hub's operators decided for all pods
    _cairn_patience = None  # likewise: start_timeout
    _cairn_up = False  # whether a pod of this hub's last launch has started
    _cairn_seen = None  # the pod as it was last
    _cairn_remembers = None
    cairn_gpu = Unicode("nvidia.com/gpu", help="The resource that a GPU is").tag(config=True)
    cairn_profiles = Dict(
        help="What sessions of a size need besides what Cairn says, by the size's name: node_selector, tolerations. If any are named, "
        "other sizes are refused"
    ).tag(config=True)

    def _cairn_check_profile(self):
        name = (self.cairn_profile or {}).get("name", "")
        if name and self.cairn_profiles and name not in self.cairn_profiles:
            raise Refused(f"The hub doesn't have the size {name}. Choose another one, or tell the operators.")

    def _cairn_size(self):
        """Gives the pod what its size promises, and nothing of the size of an earlier launch."""
        profile = self.cairn_profile or {}
        needs = self.cairn_profiles.get(profile.get("name", ""), {})
        if self._cairn_standard is None:
            self._cairn_standard = {name: getattr(self, name) for name in SIZED}
        standard = self._cairn_standard
        self.image = profile.get("image") or standard["image"]
        gpus = {self.cairn_gpu: str(profile["gpus"])} if profile.get("gpus") else {}
        for name in ("extra_resource_limits", "extra_resource_guarantees"):
            setattr(self, name, {**standard[name], **gpus})
        self.node_selector = {**standard["node_selector"], **needs.get("node_selector", {})}
        self.tolerations = [*listed(standard["tolerations"]), *needs.get("tolerations", [])]

    async def _cairn_fill(self, permit, launch):
        await super()._cairn_fill(permit, launch)
        if self._cairn_patience is None:
            self._cairn_patience = self.start_timeout
        # Packages are installed while the pod starts, perhaps after another session has tried in vain.
        self.start_timeout = self._cairn_patience + (2 * SECONDS if self.cairn_packages else 0)

    def get_env(self):
        env = super().get_env()
        if self.cairn_ours():
            env.update((self.cairn_prepared or {}).get("environment") or {})
            env.update((self.cairn_environment or {}).get("environment") or {})
        return env

    async def start(self):
        if not self.cairn_ours():
            return await super().start()
        launch, made, self._cairn_up, self.cairn_environment = self.cairn_launch, None, False, None
        self._cairn_size()
        try:
            if self.cairn_packages:
                made = await self._cairn_find_environment(launch)
            fetches = made is not None and made.makes
            address = await self._cairn_start_pod(launch, made)
            if fetches and self._cairn_alone:  # those who made its packages had a network, and nothing of theirs may go on
                await super().stop(now=True)
                address = await self._cairn_start_pod(launch, made)
        except Refused as refusal:
            if made is not None:
                await super().stop(now=True)  # of a pod whose server started without its environment
            if not self.cairn_cancelled:
                launch.fail(str(refusal), code=refusal.code)
            raise
        finally:
            if made is not None:
                await made.leave()
        self._cairn_up = True
        self._cairn_remember()
        return address

    async def _cairn_start_pod(self, launch, made):
        """Starts a pod, and returns its address once Jupyter listens and its environment is whole."""
        makes, self._cairn_seen = made is not None and made.makes, None
        self._cairn_shape(made)
        if self.cairn_batch:
            self.priority_class_name = settings().run_priority  # everything else goes first
        if self._cairn_alone and not makes:
            await self._cairn_shut_in()
        if not makes:
            launch.tell("server", "active")
        starting, following = asyncio.ensure_future(self._cairn_begin()), asyncio.ensure_future(self._cairn_follow(launch, made))
        try:
            await asyncio.wait({starting, following}, return_when=asyncio.FIRST_COMPLETED)
            if following.done():
                following.result()
            address = await starting
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)  # it may be settling
            if made is not None and made.makes:
                await self._cairn_settle(launch, made, self._cairn_pod())
        finally:
            following.cancel()
            if not starting.done() and not self.cairn_cancelled:
                starting.cancel()
            await asyncio.gather(starting, following, return_exceptions=True)  # until the pod is gone
        return address

    async def _cairn_begin(self):
        """Starts the pod, and waits until Jupyter listens: a pod is ready as soon as its command runs, and the hub itself would
        not notice that it ended. After http_timeout, the hub says what is wrong."""
        address = await super().start()
        self.cairn_task = asyncio.ensure_future(listens(address, self.cairn_look / 5))
        if self.cairn_cancelled:  # just after the pod was ready
            self.cairn_task.cancel()
        try:
            await asyncio.wait_for(self.cairn_task, self.http_timeout)
        except asyncio.TimeoutError:
            pass
        except asyncio.CancelledError:
            await super().stop(now=True)
            raise Refused("The launch was cancelled.") from None
        finally:
            self.cairn_task = None
        return address

    async def _cairn_find_environment(self, launch):
        """Returns the environment that this launch needs. If it isn't whole, this launch makes it, and has its turn."""
        asked = {"owner": self.user.name, "packages": self.cairn_packages, "image": self.image, "disk": self.cairn_limits["disk"], "seconds": SECONDS}
        made = PodEnvironment(settings(), self.cairn_session, asked, launch.hear)
        self.cairn_task = asyncio.ensure_future(made.find())
        try:
            self.cairn_environment = await self.cairn_task
        except BaseException as problem:
            await made.leave()
            if isinstance(problem, asyncio.CancelledError):
                raise Refused("The launch was cancelled.") from None
            raise
        finally:
            self.cairn_task = None
        if not made.makes:
            launch.left_out += self.cairn_environment["leftOut"] or []
        return made

    def _cairn_shape(self, made):
        """Decides what the pod is like."""
        # A pod without requests and limits would be the first to be evicted, and could take all of its node.
        self.mem_limit = self.cairn_limits["memory"] or self.cairn_memory
        self.cpu_limit = self.cairn_limits["cpu"] or self.cairn_cpu
        self.mem_guarantee = int(self.mem_limit * self.cairn_share)
        self.cpu_guarantee = round(self.cpu_limit * self.cairn_share, 3)
        if disk := self.cairn_limits["disk"]:  # what isn't on the claim: the home folder, /tmp
            self.extra_resource_limits = {**self.extra_resource_limits, DISK: str(disk)}
            self.extra_resource_guarantees = {**self.extra_resource_guarantees, DISK: str(int(disk * self.cairn_share))}
        # KubeSpawner's pods start again when they fail: a session would go on without its kernels, and nobody would say why.
        self.extra_pod_config = {**self._cairn_standard["extra_pod_config"], "restartPolicy": "Never"}
        self.common_labels, self.priority_class_name = self._cairn_standard["common_labels"], self._cairn_standard["priority_class_name"]
        self.cmd = (cmd := self._cairn_standard["cmd"]) and [*(self.cairn_prepared.get("front") or []), *cmd]  # None: the image's own
        self.args = [*self._cairn_standard["args"], *(self.cairn_prepared.get("arguments") or [])]
        self.init_containers = listed(self._cairn_standard["init_containers"])
        if made is not None and made.makes:
            self.init_containers = [*self.init_containers, self._cairn_maker(made.laid.result())]
        self.volumes = [{"name": "cairn-work", "persistentVolumeClaim": {"claimName": self.cairn_work_claim}}]
        if settings().data_root:
            self.volumes.append({"name": "cairn-data", "persistentVolumeClaim": {"claimName": self.cairn_data_claim, "readOnly": True}})
        shown = [mount for mount in self.cairn_prepared["mounts"] if mount["to"] != DATA] + (self.cairn_environment or {"mounts": []})["mounts"]
        own = {"name": "cairn-work", "mountPath": "/session/work", "subPath": f"{self.cairn_session}/work"}
        self.volume_mounts = [own, *map(mounted, shown)]
        self.working_dir = self.notebook_dir = "/session/work"

    @property
    def _cairn_alone(self):
        """Whether the session reaches nothing but the hub."""
        return bool(self.cairn_batch) and not self.cairn_batch["network"]

    async def _cairn_shut_in(self):
        """Lets the pod reach the hub alone, also by its name. runs.yaml has the policy for this label; other policies, which let
        sessions reach more, are for those of another app."""
        self.common_labels = {**self._cairn_standard["common_labels"], "app": "cairn-run"}
        hub = urlsplit(self.hub.api_url).hostname
        found = await asyncio.get_event_loop().getaddrinfo(hub, None, type=socket.SOCK_STREAM)
        self.extra_pod_config = {
            **self.extra_pod_config, "hostAliases": [{"ip": found[0][4][0], "hostnames": [hub]}],
            "dnsPolicy": "None", "dnsConfig": {"nameservers": ["127.0.0.1"]},
        }  # fmt: skip

    def _cairn_maker(self, laid):
        """Returns the init container that makes an environment: the session's own, without what opens the hub to it."""
        account = {key: value for key, value in (("runAsUser", self.uid), ("runAsGroup", self.gid)) if isinstance(value, int)}
        return {
            "name": CONTAINER, "command": laid["command"], "volumeMounts": [mounted(mount) for mount in laid["shown"]], "image": self.image, **({"imagePullPolicy": self.image_pull_policy} if self.image_pull_policy else {}),
            "securityContext": {**account, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
            "resources": {
                "limits": {"memory": str(self.mem_limit), "cpu": str(self.cpu_limit), **disk_of(self.extra_resource_limits)},
                "requests": {"memory": str(self.mem_guarantee), "cpu": str(self.cpu_guarantee), **disk_of(self.extra_resource_guarantees)},
            },
        }  # fmt: skip

    def _cairn_pod(self):
        """Returns the pod as the API server told last; None if there is none."""
        try:
            return self.pod_reflector.pods.get(f"{self.namespace}/{self.pod_name}")
        except (AttributeError, KeyError):  # the hub hasn't begun to watch pods
            return None

    def _cairn_events(self, pod):
        """Returns the events of this pod, not of one before it with the same name."""
        try:
            events = self.events
        except (AttributeError, KeyError, TypeError):  # likewise, or those of one moment can't be put in order
            return []
        return [one for one in events if pod and one["involvedObject"].get("uid") == cairn_pod.uid(pod)]

    async def _cairn_follow_spawner(self):
        """_cairn_follow tells it, also if nobody listens."""

    async def _cairn_follow(self, launch, made):
        """Tells what the pod waits for, and for how long. Returns by raising why it won't ever run."""
        old, image, memory = self._cairn_pod(), self.image, self.mem_limit
        began, told, since, events = time.monotonic(), None, 0, []
        patience = self._cairn_patience or self.start_timeout
        while True:
            if self.cairn_cancelled:
                await asyncio.Event().wait()  # start() deletes the pod
            pod = self._cairn_pod()
            if pod and (old and cairn_pod.uid(pod) == cairn_pod.uid(old) or self._cairn_seen is None and "deletionTimestamp" in pod["metadata"]):
                pod = None  # of an earlier launch
            if self._cairn_seen and (pod is None or "deletionTimestamp" in pod["metadata"]):
                self._cairn_seen = pod or self._cairn_seen
                _, reason, code = cairn_pod.ending(self._cairn_seen, self._cairn_events(self._cairn_seen), memory)
                raise Refused(reason or cairn_pod.DELETED, code=code or cairn_pod.EVICTED)
            self._cairn_seen = pod
            before, events = len(events), self._cairn_events(pod)
            for event in events[before:]:
                launch.log = (launch.log + cairn_pod.short(event.get("message")) + "\n")[-LOG_BYTES:]
            installs, now = made is not None and made.makes, time.monotonic()
            if installs and made.call.done():
                made.call.result()  # raises why the agent has ended it
            state = cairn_pod.status_of(pod, CONTAINER, "initContainerStatuses") if pod and installs else {}
            if "terminated" in state:
                await self._cairn_settle(launch, made, pod)
                installs = False
            if pod and (why := cairn_pod.hindrance(pod, events, CONTAINER if installs else "", image, memory)):
                raise Refused(why[0], code=why[1])
            if "running" in state and installs:
                began = now  # the agent tells how it goes, and ends it when it takes too long
            else:
                detail = cairn_pod.waits_for(pod, events, image)[:130]
                told, since = (told, since) if detail == told else (detail, now)
                waited = int(now - since) // 10 * 10
                tell(launch, "environment" if installs else "server", f"{detail} · {waited} s" if waited else detail)
                if now - began > patience - 5:
                    waits = self.cairn_batch and not (pod and pod["spec"].get("nodeName"))  # a run may wait for room longer than its launch
                    raise Refused(f"The session's pod didn't start within {patience // 60} minutes. It was at: {told}.", code=cairn_pod.EVICTED if waits else cairn_pod.TIME)
            await asyncio.sleep(self.cairn_look)

    async def _cairn_settle(self, launch, made, pod):
        """Takes the environment over once its container has ended, however that was."""
        state = cairn_pod.status_of(pod, CONTAINER, "initContainerStatuses") if pod else {}
        launch.left_out += await made.settle(state.get("terminated") or {}, self.image, self.mem_limit)
        launch.tell("server", "active")

    def _cairn_remember(self):
        """Keeps the last that is known of a pod that runs: one that the cluster takes away may be gone at the next poll."""

        async def remember():
            while pod := self._cairn_pod():
                self._cairn_seen = pod
                await asyncio.sleep(LOOK)

        if self._cairn_remembers is None or self._cairn_remembers.done():
            self._cairn_remembers = asyncio.ensure_future(remember())

    async def poll(self):
        if not self.cairn_ours():
            return await super().poll()
        await self._start_watching_pods()
        pod, memory = self._cairn_pod(), self.mem_limit or 0
        if pod and (cairn_pod.over(pod) or "terminated" in cairn_pod.status_of(pod, cairn_pod.SESSION)):
            self._cairn_seen = pod
            self._cairn_end(*cairn_pod.ending(pod, [], memory))  # before KubeSpawner deletes it
        status = await super().poll()
        if pod and cairn_pod.over(pod):
            if self._cairn_pod():  # KubeSpawner keeps some that the cluster took away, or takes them for running
                await super().stop(now=True)
            status = 1 if status is None else status
        if status is None:
            self._cairn_remember()
        else:
            self._cairn_end(*cairn_pod.ending(self._cairn_seen, self._cairn_events(self._cairn_seen), memory))
        return status

    async def stop(self, now=False):
        self._cairn_end(0)  # whoever asked for this did not see a crash
        await super().stop(now)

    def _cairn_end(self, status, reason="", code=""):
        """Writes down how a server that ran has ended, once."""
        launch, past = self.cairn_launch, self.cairn_past
        if launch is None:  # an earlier hub started it
            if past and past.get("exit") is None and not past.get("reason"):
                self.cairn_past = {**past, "exit": status, "reason": reason, "code": code}
        elif self._cairn_up and launch.exit is None:
            launch.exit, launch.reason, launch.code = status, reason, code


def tell(launch, name, detail):
    """Tells a step's detail if it's new: each time that it's told counts as progress."""
    shown = next(step for step in launch.steps if step["name"] == name)
    if (shown["state"], shown["detail"]) != ("active", " ".join(detail.split())[: DETAIL_LENGTH]):
        launch.tell(name, "active", detail)


async def listens(address, look):
    """Returns once something listens at an address."""
    where = urlsplit(address)
    while True:
        try:
            _, writer = await asyncio.open_connection(where.hostname, where.port)
        except OSError:
            await asyncio.sleep(look)
        else:
            writer.close()
            return


def mounted(mount):
    """Returns how a container mounts what the agent shows to it."""
    return {"mountPath": mount["to"], **({} if mount.get("writable") else {"readOnly": True}), **source_of(mount["from"])}


def disk_of(resources):
    """Returns the part of resources that every container of a pod has, and not only Jupyter's."""
    return {DISK: resources[DISK]} if DISK in resources else {}


def listed(several):
    """Returns a list of what KubeSpawner 7 also takes as a dictionary, in its order."""
    return [several[key] for key in sorted(several)] if isinstance(several, dict) else list(several or [])


def plain(path):
    """Returns a path that KubeSpawner doesn't expand."""
    return path.replace("{", "{{").replace("}", "}}")


def source_of(path):
    """Returns the claim of a dataset and its path there: those that the hub fetched are with the sessions."""
    decided = settings()
    own = os.path.join(os.path.realpath(decided.root), "")
    if os.path.realpath(path).startswith(own):
        return {"name": "cairn-work", "subPath": plain(os.path.relpath(os.path.realpath(path), own))}
    return {"name": "cairn-data", "subPath": plain(os.path.relpath(path, os.path.realpath(decided.data_root)))}


__all__ = ["Cairn", "CairnKubeSpawner"]
