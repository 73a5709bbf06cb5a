"""Tests of what a session asks of KubeSpawner and understands of a pod, with a stand-in that has the traits of KubeSpawner 6 or 7,
deletes and polls as they do, and refuses what they and the API server refuse: python3 -m unittest, in this folder. make test runs
them too."""

import asyncio
import base64
import contextlib
import functools
import glob
import hashlib
import http.server
import importlib
import io
import json
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import zipfile

import cairn_box
import cairn_hub
import cairn_pod
import cairn_pod_environment
from jupyterhub.traitlets import ByteSpecification
from test_cairn_hub import NAME, SESSION
from traitlets import Dict, Float, Integer, List, TraitError, Unicode, Union
from traitlets.config import Configurable

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
    """Serves an index with three packages, one of them large, while a test runs, and returns its address and the list of what is asked of it."""
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
    return f"http://127.0.0.1:{web.server_address[1]}/simple/", asked


@functools.lru_cache(maxsize=None)
def program():
    """Returns the path of the program cairn: Go's tests name one; else it's built."""
    if there := os.environ.get("CAIRN_PROGRAM"):
        return there
    folder = tempfile.mkdtemp()
    unittest.addModuleCleanup(shutil.rmtree, folder)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    subprocess.run(["go", "build", "-buildvcs=false", "-o", folder + "/cairn", "./cmd/cairn"], cwd=source, env={**os.environ, "CGO_ENABLED": "0"}, check=True)
    return folder + "/cairn"


def agent_of(test, root, **environment):
    """Runs the agent of a folder while a test runs, and returns its address. Who asks it waits until it listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    given = {"PATH": os.environ["PATH"], "CAIRN_ROOT": root, "CAIRN_TOKEN": "the token", "CAIRN_RUNS": "off", "JUPYTERHUB_SERVICE_URL": address, **environment}
    with open(root + "/agent.log", "w") as log:
        process = subprocess.Popen([program(), "agent"], env=given, stdout=log, stderr=log)

    def stop():
        process.terminate()
        process.wait()

    test.addCleanup(stop)
    return address


GPU_IMAGE = "example/gpu:1"


def setUpModule():
    global LISTENER
    LISTENER = socket.create_server(("127.0.0.1", 0))
    unittest.addModuleCleanup(LISTENER.close)


class Cluster:
    """What an API server tells, and what a machine does with a pod."""

    def __init__(self, machine):
        self.address = f"http://127.0.0.1:{LISTENER.getsockname()[1]}"  # of every server
        self.pods, self.events, self.machine, self.made, self.deleted, self.machines = {}, [], machine, 0, 0, {}

    def create(self, key, spec):
        if key in self.pods:
            raise ValueError("409: already exists")
        self.made += 1
        pod = self.pods[key] = {"metadata": {"uid": f"uid-{self.made}"}, "spec": spec, "status": {"phase": "Pending"}}
        self.machines[key] = asyncio.ensure_future(self.machine(self, pod))

    def tell(self, pod, reason, message="", count=1):
        self.events.append({"involvedObject": {"name": "pod", "uid": pod["metadata"]["uid"]}, "reason": reason, "message": message, "count": count})

    async def delete(self, key):
        """Deletes a pod at once: it is gone when its processes are."""
        if key in self.pods:
            self.machines[key].cancel()
            await asyncio.gather(self.machines[key], return_exceptions=True)
            del self.pods[key]
            self.deleted += 1


async def runs(cluster, pod):
    place(pod)
    pod["status"] = {**pod["status"], "phase": "Running", "podIP": "10.0.0.1", "containerStatuses": [container(running={})]}


def place(pod):
    pod["status"] = {**pod["status"], "conditions": [{"type": "PodScheduled", "status": "True"}]}


def container(name="notebook", ready=True, **state):
    return {"name": name, "ready": ready and "running" in state, "state": state}


def stand_in(version):
    several = (lambda: Union([List(), Dict()])) if version == 7 else List

    class KubeSpawner(Configurable):
        image = Unicode("quay.io/jupyterhub/singleuser:latest").tag(config=True)
        image_pull_policy = Unicode("IfNotPresent", allow_none=True).tag(config=True)
        cmd = List(["jupyterhub-singleuser"], allow_none=True).tag(config=True)
        args = List().tag(config=True)
        common_labels = Dict({"app": "jupyterhub"}).tag(config=True)
        priority_class_name = Unicode().tag(config=True)
        node_selector = Dict().tag(config=True)
        tolerations = several().tag(config=True)
        extra_resource_limits = Dict().tag(config=True)
        extra_resource_guarantees = Dict().tag(config=True)
        extra_pod_config = Dict().tag(config=True)
        init_containers = several().tag(config=True)
        mem_limit = ByteSpecification(None, allow_none=True)
        mem_guarantee = ByteSpecification(None, allow_none=True)
        cpu_limit = Float(None, allow_none=True)
        cpu_guarantee = Float(None, allow_none=True)
        uid = Union([Integer(), Unicode()], default_value=1000, allow_none=True)
        gid = Integer(None, allow_none=True)
        start_timeout = Integer(60).tag(config=True)
        http_timeout = Integer(30).tag(config=True)
        volumes = several()
        volume_mounts = several()
        working_dir = Unicode(None, allow_none=True)
        notebook_dir = Unicode()

        namespace, pod_name, log, cluster, watched = "sessions", "pod", logging.getLogger("test"), None, False
        own = ("name", "user_options", "user", "cluster", "watched", "hub")

        def __setattr__(self, name, value):
            if not (hasattr(type(self), name) or name in self.own or name.startswith(("_", "cairn_"))):
                raise AttributeError(f"KubeSpawner has no trait {name}")
            super().__setattr__(name, value)

        @property
        def pod_reflector(self):
            return types.SimpleNamespace(pods=self.cluster.pods) if self.watched else None

        @property
        def events(self):
            return self.cluster.events

        @property
        def key(self):
            return f"{self.namespace}/{self.pod_name}"

        def run_pre_spawn_hook(self):
            return None

        def get_env(self):
            return {"JUPYTERHUB_API_TOKEN": "secret"}

        def get_state(self):
            return {}

        def load_state(self, state):
            pass

        async def _start_watching_pods(self):
            self.watched = True

        def expanded(self, value):
            if isinstance(value, list):
                return [self.expanded(one) for one in value]
            if isinstance(value, dict):
                return {key: self.expanded(one) for key, one in value.items()}
            return value.format(username="ann") if isinstance(value, str) else value

        def manifest(self):
            volumes, mounts, before, config = (self.expanded(one) for one in (self.volumes, self.volume_mounts, self.init_containers, self.extra_pod_config))
            requests = {"memory": self.mem_guarantee, "cpu": self.cpu_guarantee, **self.extra_resource_guarantees}
            limits = {"memory": self.mem_limit, "cpu": self.cpu_limit, **self.extra_resource_limits}
            main = {"name": "notebook", "volumeMounts": mounts, "resources": {"limits": limits, "requests": requests}, "env": self.get_env()}
            about = {"labels": {**self.common_labels, "component": "singleuser-server"}, "priorityClassName": self.priority_class_name}
            main["args"] = (self.cmd or []) + self.args
            return {"restartPolicy": "OnFailure", **config, **about, "volumes": volumes, "initContainers": before, "containers": [main]}

        def start(self):
            self._start_future = asyncio.ensure_future(self._start())
            return self._start_future

        async def _start(self):
            await self._start_watching_pods()
            spec = self.manifest()
            refuse_as_the_api_server(spec)
            if self.key in self.cluster.pods:  # of before
                await self.stop(True)
            self.cluster.create(self.key, spec)
            while not self.is_pod_running(self.cluster.pods.get(self.key)):
                await asyncio.sleep(0.005)
            return self.cluster.address

        def is_pod_running(self, pod):
            return (
                pod is not None and pod["status"]["phase"] == "Running" and pod["status"]["podIP"] is not None
                and "deletionTimestamp" not in pod["metadata"] and all(one["ready"] for one in pod["status"]["containerStatuses"])
            )  # fmt: skip

        async def poll(self):
            await self._start_watching_pods()
            pod = self.cluster.pods.get(self.key)
            if pod is None:
                return 1
            if pod["status"]["phase"] == "Pending":
                return None
            if "containerStatuses" not in pod["status"]:
                return 1
            for one in pod["status"]["containerStatuses"]:
                if one["name"] == "notebook":
                    if "terminated" in one["state"]:
                        await self.stop(now=True)
                        return one["state"]["terminated"]["exitCode"]
                    break
            return None

        async def stop(self, now=False):
            await self._start_watching_pods()
            await self.cluster.delete(self.key)

        async def progress(self):
            raise AssertionError("its events are told with times and in other words")
            yield

    return KubeSpawner


def refuse_as_the_api_server(spec):
    names = [one["name"] for one in spec["volumes"]]
    containers = [one["name"] for one in spec["initContainers"] + spec["containers"]]
    if len(set(names)) < len(names) or len(set(containers)) < len(containers) or spec["restartPolicy"] not in ("Always", "OnFailure", "Never"):
        raise ValueError("422: duplicate or unsupported value")
    for one in spec["initContainers"] + spec["containers"]:
        if one["name"].startswith("mine"):
            continue
        paths = [mount["mountPath"] for mount in one["volumeMounts"]]
        if len(set(paths)) < len(paths):
            raise ValueError("422: must be unique")
        for mount in one["volumeMounts"]:
            if mount["name"] not in names or mount["subPath"].startswith("/") or ".." in mount["subPath"].split("/"):
                raise ValueError(f"422: invalid value {mount}")
        for name, asked in one["resources"]["requests"].items():
            if asked and float(asked) > float(one["resources"]["limits"][name]):
                raise ValueError("422: must be less than or equal to the limit")


def loaded(version):
    """Returns cairn_kube on a KubeSpawner."""
    sys.modules["kubespawner"] = types.ModuleType("kubespawner")
    sys.modules["kubespawner"].KubeSpawner = stand_in(version)
    sys.modules.pop("cairn_kube", None)
    return importlib.import_module("cairn_kube")


class Pods(unittest.TestCase):
    kube = loaded(7)
    limits = {"memory": 0, "cpu": 0, "processes": 0, "disk": 0}

    def setUp(self):
        self.decided = cairn_hub.settings()
        folder = tempfile.mkdtemp()
        os.chmod(folder, 0o711)
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.decide(root=folder + "/root", data_root="/srv/cairn/data")
        os.makedirs(f"{self.decided.root}/{SESSION}/work")

    def decide(self, **values):
        for name, value in values.items():
            self.addCleanup(setattr, self.decided, name, getattr(self.decided, name))
            setattr(self.decided, name, value)

    def spawner(self, limits=(), mounts=(), machine=runs, packages=None, user="ann@example.org", cluster=None, **decided):
        made = self.kube.CairnKubeSpawner(**decided)
        made.name, made.user_options, made.user = NAME, {}, type("User", (), {"name": user})
        made.hub = types.SimpleNamespace(api_url="http://localhost:8081/hub/api")
        made.cluster, made.cairn_look = cluster or Cluster(machine), 0.005
        made.cairn_limits = {**self.limits, **dict(limits)}
        made.cairn_prepared = {"mounts": [{"from": path, "to": "/session/work/data/" + name} for path, name in mounts], "packages": packages}
        made.cairn_launch = cairn_hub.Launch(1, ("environment", "server") if packages else ("server",))
        made.cairn_launch.left_out = []
        return made

    def count_looks(self):
        """Lets each look at a clock be two seconds after the one before."""
        clock = iter(range(0, 10_000, 2))
        self.addCleanup(setattr, self.kube, "time", self.kube.time)
        self.kube.time = types.SimpleNamespace(monotonic=lambda: next(clock))

    def started(self, **of):
        """Returns a spawner whose pod was started, and the pod's specification."""
        made = self.spawner(**of)

        async def start():
            await made.start()
            return made.cluster.pods[made.key]["spec"]

        return made, asyncio.run(start())

    def refused(self, made, part, code):
        async def start():
            with self.assertRaises(cairn_hub.Refused) as refused:
                await made.start()
            return refused.exception

        self.assertIn(part, str(asyncio.run(start())))
        launch = made.cairn_launch
        self.assertEqual((part in launch.reason, launch.code, launch.exit), (True, code, None))
        self.assertEqual(made.cluster.pods, {}, "a pod is left")

    def ended(self, change, then=None, memory=8 << 30):
        """Returns how a session's end is told whose pod is changed once it runs."""
        made = self.spawner({"memory": memory})

        async def end():
            await made.start()
            self.assertIsNone(await made.poll())
            await change(made, made.cluster.pods[made.key])
            self.assertIsNotNone(await made.poll())
            self.assertIsNotNone(await made.poll())  # as the hub does when it cleans up
            await made.stop()
            self.assertEqual(made.cluster.pods, {}, "a pod is left")
            return made.get_state()["cairn"]

        told = asyncio.run(end())
        return told["exit"], told["reason"], told["code"]


class Kube(Pods):
    def test_every_pod_has_requests_and_limits(self):
        for limits, want in {
            (0, 0, 0): ({"memory": 2 << 30, "cpu": 1}, {"memory": 1 << 29, "cpu": 0.25}),
            (8 << 30, 4, 0): ({"memory": 8 << 30, "cpu": 4}, {"memory": 2 << 30, "cpu": 1}),
            (1 << 20, 0.1, 1 << 30): (
                {"memory": 1 << 20, "cpu": 0.1, "ephemeral-storage": str(1 << 30)}, {"memory": 1 << 18, "cpu": 0.025, "ephemeral-storage": str(1 << 28)},
            ),
        }.items():  # fmt: skip
            _, spec = self.started(limits=dict(zip(("memory", "cpu", "disk"), limits)))
            found = spec["containers"][0]["resources"]
            self.assertEqual((found["limits"], found["requests"]), want)

    def test_a_session_sees_its_own_folder_and_its_datasets_only(self):
        root = self.decided.root
        _, spec = self.started(mounts=[("/srv/cairn/data/{spikes}", "spikes"), (root + "/.datasets/ab/content", "web")])
        self.assertEqual(spec["containers"][0]["volumeMounts"], [
            {"name": "cairn-work", "mountPath": "/session/work", "subPath": SESSION + "/work"},
            {"name": "cairn-data", "mountPath": "/session/work/data/spikes", "subPath": "{spikes}", "readOnly": True},
            {"name": "cairn-work", "mountPath": "/session/work/data/web", "subPath": ".datasets/ab/content", "readOnly": True},
        ])
        self.decided.data_root = ""
        _, spec = self.started()
        self.assertEqual([one["name"] for one in spec["volumes"]], ["cairn-work"])

    def test_what_the_operators_decided_for_all_pods_stays(self):
        mine = [{"name": "mine-1", "image": "x"}]
        _, spec = self.started(init_containers=mine, extra_pod_config={"dnsPolicy": "None"})
        self.assertEqual((spec["initContainers"], spec["dnsPolicy"], spec["restartPolicy"]), (mine, "None", "Never"))

    def test_a_pod_that_waits_for_a_node_is_deleted_when_the_launch_is_taken_back(self):
        waiting = asyncio.Event()

        async def crowded(cluster, pod):
            pod["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available."}]}
            waiting.set()

        made = self.spawner(machine=crowded)

        async def cancel():
            started = asyncio.ensure_future(made.start())
            await waiting.wait()
            made.cairn_cancel()
            with self.assertRaises(cairn_hub.Refused):
                await started

        asyncio.run(asyncio.wait_for(cancel(), 60))
        self.assertEqual((made.cluster.pods, made.cluster.deleted, made.cairn_launch.reason), ({}, 1, ""))

    def test_what_a_pod_waits_for_is_what_the_last_step_is_at(self):
        seen = []

        async def slow(cluster, pod):
            def until(part):
                return self.told(made, seen, part)

            pod["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available: 3 Insufficient memory."}]}
            await until("0/3 nodes are available: 3 Insufficient memory")
            place(pod)
            cluster.tell(pod, "FailedMount", "MountVolume.SetUp failed")
            await until("MountVolume.SetUp failed")
            cluster.tell(pod, "Pulling", "Pulling image")
            await until("Fetching the image quay.io/jupyterhub/singleuser:latest")
            await until("· 10 s")
            pod["status"]["containerStatuses"] = [container(waiting={"reason": "ErrImagePull", "message": "the registry is away"})]
            await until("the registry is away")
            cluster.tell(pod, "Pulled", "Successfully pulled image in 12s")
            while "Successfully pulled image in 12s" not in made.cairn_launch.log:  # what comes in the last moment is not read
                await asyncio.sleep(0)
            await runs(cluster, pod)

        made = self.spawner(machine=slow)
        self.count_looks()
        made.start_timeout = 10_000
        asyncio.run(asyncio.wait_for(made.start(), 60))
        self.assertEqual(len(seen), 5)

    async def told(self, made, seen, part):
        launch = made.cairn_launch
        while part not in launch.steps[-1]["detail"]:
            await launch.changed.wait()
        seen.append(launch.steps[-1]["detail"])

    def test_events_of_a_pod_before_are_not_told(self):
        made, _ = self.started()
        made.cluster.tell({"metadata": {"uid": "uid-0"}}, "Evicted", "of before")
        self.assertEqual(made._cairn_events(made.cluster.pods[made.key]), [])

    def test_what_kubespawner_refuses_is_refused_here(self):
        made = self.spawner()
        with self.assertRaises(TraitError):
            made.cpu_limit = "much"
        with self.assertRaises(ValueError):
            asyncio.run(self.spawner(mounts=[("/srv/cairn/other", "x")]).start())

    def test_other_servers_of_the_hub_are_left_alone(self):
        made = self.spawner()
        made.name = "theirs"

        async def live():
            await made.start()
            spec = made.cluster.pods[made.key]["spec"]
            del made.cluster.pods[made.key]
            return spec, await made.poll()

        spec, status = asyncio.run(live())
        self.assertEqual((spec["restartPolicy"], spec["volumes"], status, made.cairn_launch.exit), ("OnFailure", [], 1, None))


class Endings(Pods):
    """What ends a session is told as what it is."""

    def test_more_memory_than_the_limit(self):
        async def change(made, pod):
            pod["status"] = {**pod["status"], "phase": "Failed", "containerStatuses": [container(terminated={"exitCode": 137, "reason": "OOMKilled"})]}

        status, reason, code = self.ended(change)
        self.assertEqual((status, code), (137, "memory"))
        self.assertIn("more than its 8 GiB of memory", reason)

    def test_a_node_short_of_memory(self):
        said = "The node was low on resource: memory."
        for statuses in ({}, {"containerStatuses": [container(terminated={"exitCode": 137, "reason": "Error"})]}, {"containerStatuses": [container(waiting={})]}):
            async def change(made, pod):
                pod["status"] = {"phase": "Failed", "reason": "Evicted", "message": said, **statuses}

            with self.subTest(statuses):
                status, reason, code = self.ended(change)
                self.assertEqual((status, code), (137, "evicted"))
                self.assertIn(said.rstrip("."), reason)

    def test_a_node_that_is_drained(self):
        async def change(made, pod):  # the pod is gone before the next poll, but not before the next look
            pod["status"] = {**pod["status"], "conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting"}]}
            pod["metadata"]["deletionTimestamp"] = "now"
            made._cairn_seen = dict(pod)
            del made.cluster.pods[made.key]

        status, reason, code = self.ended(change)
        self.assertEqual((status, code), (137, "evicted"))
        self.assertIn("its machine is being emptied, as for maintenance (Eviction API: evicting)", reason)

    def test_the_last_that_was_seen_of_a_pod_is_kept_between_polls(self):
        made = self.spawner()

        async def live():
            await made.start()
            await asyncio.sleep(0)
            made.cluster.pods[made.key]["marked"] = True
            return made._cairn_seen

        self.assertTrue(asyncio.run(live())["marked"])

    def test_a_pod_that_another_pushed_out(self):
        async def change(made, pod):
            made.cluster.tell(pod, "Preempted", "Preempted by pod x on node y")
            del made.cluster.pods[made.key]

        status, reason, code = self.ended(change)
        self.assertEqual((status, code), (137, "evicted"))
        self.assertIn("something more important (Preempted by pod x on node y)", reason)

    def test_a_pod_that_somebody_deleted(self):
        async def gone(made, pod):
            del made.cluster.pods[made.key]

        async def ending(made, pod):  # its container ends first
            pod["metadata"]["deletionTimestamp"] = "now"
            pod["status"] = {**pod["status"], "containerStatuses": [container(terminated={"exitCode": 0, "reason": "Completed"})]}

        for change in (gone, ending):
            with self.subTest(change.__name__):
                status, reason, code = self.ended(change)
                self.assertEqual((status, code), (137, "evicted"))
                self.assertIn("was deleted on the cluster", reason)

    def test_a_server_that_ended_on_its_own(self):
        for number in (0, 3):
            async def change(made, pod):
                pod["status"] = {**pod["status"], "phase": "Failed" if number else "Succeeded", "containerStatuses": [container(terminated={"exitCode": number})]}

            self.assertEqual(self.ended(change), (number, "", ""))

    def test_a_server_that_was_stopped_was_not_evicted(self):
        made = self.spawner()

        async def stop():
            await made.start()
            await made.stop()
            await made.poll()

        asyncio.run(stop())
        self.assertEqual((made.cairn_launch.exit, made.cairn_launch.reason), (0, ""))

    def test_a_launch_that_failed_keeps_its_reason(self):
        made = self.spawner()
        made.cairn_launch.fail("No such branch.", code="ref_unknown")
        self.assertEqual(asyncio.run(made.poll()), 1)
        self.assertEqual((made.cairn_launch.reason, made.cairn_launch.exit), ("No such branch.", None))

    def test_a_hub_that_was_restarted_tells_it_too(self):
        made = self.spawner()
        made.cairn_launch = None
        made.load_state({"cairn": {"launch": 7, "exit": None, "reason": ""}})
        self.assertEqual(asyncio.run(made.poll()), 1)
        told = made.get_state()["cairn"]
        self.assertEqual((told["launch"], told["exit"], told["code"]), (7, 137, "evicted"))


class Hopeless(Pods):
    """A pod that can't become a session ends the launch in words, at once."""

    def test_an_image_without_jupyter(self):
        for why in ({"exitCode": 128, "reason": "StartError", "message": "executable file not found in $PATH"}, {"exitCode": 127, "reason": "Error"}):
            async def fails(cluster, pod):
                place(pod)
                pod["status"] = {**pod["status"], "phase": "Failed", "containerStatuses": [container(terminated=why)]}

            self.refused(self.spawner(machine=fails), "lacks Jupyter", "server_fault")

    def test_an_image_that_cannot_be_fetched(self):
        async def invalid(cluster, pod):
            pod["status"] = {**pod["status"], "containerStatuses": [container(waiting={"reason": "InvalidImageName", "message": "couldn't parse"})]}

        async def absent(cluster, pod):
            place(pod)
            pod["status"]["containerStatuses"] = [container(waiting={"reason": "ImagePullBackOff", "message": "not found"})]
            cluster.tell(pod, "Pulling", count=3)

        self.refused(self.spawner(machine=invalid), "couldn't parse", "server_fault")
        self.refused(self.spawner(machine=absent), "can't be fetched: not found", "server_fault")

    def test_jupyter_that_ends_before_it_is_ready(self):
        async def memory(cluster, pod):
            pod["status"] = {"phase": "Failed", "containerStatuses": [container(terminated={"exitCode": 137, "reason": "OOMKilled"})]}

        async def fails(cluster, pod):
            pod["status"] = {"phase": "Failed", "containerStatuses": [container(terminated={"exitCode": 3})]}

        self.refused(self.spawner(machine=memory), "more than its 2 GiB of memory", "memory")
        self.refused(self.spawner(machine=fails), "exit code 3", "")

    def deaf(self, machine, **decided):
        """Returns a spawner whose server never listens."""
        made = self.spawner(machine=machine, **decided)
        held = socket.socket()
        self.addCleanup(held.close)
        held.bind(("127.0.0.1", 0))
        made.cluster.address = f"http://127.0.0.1:{held.getsockname()[1]}"
        return made

    def test_jupyter_that_ends_before_it_listens(self):
        async def fails(cluster, pod):
            await runs(cluster, pod)
            while made.cairn_task is None or not made._start_future.done():
                await asyncio.sleep(0)
            pod["status"] |= {"phase": "Failed", "containerStatuses": [container(terminated={"exitCode": 3})]}

        made = self.deaf(fails)
        self.refused(made, "exit code 3", "")

    def test_jupyter_that_never_listens(self):
        self.assertEqual(asyncio.run((made := self.deaf(runs, http_timeout=0)).start()), made.cluster.address)  # the hub says why

    def test_a_launch_that_is_taken_back_before_jupyter_listens(self):
        made = self.deaf(runs)

        async def cancel():
            started = asyncio.ensure_future(made.start())
            while made.cairn_task is None or not made._start_future.done():
                await asyncio.sleep(0)
            made.cairn_cancel()
            with self.assertRaises(cairn_hub.Refused):
                await started

        asyncio.run(asyncio.wait_for(cancel(), 60))
        self.assertEqual((made.cluster.pods, made.cluster.deleted, made.cairn_launch.reason), ({}, 1, ""))

    def test_a_pod_that_is_taken_away_while_it_starts(self):
        async def deleted(cluster, pod):
            place(pod)
            while made._cairn_seen is None:
                await asyncio.sleep(0)
            del cluster.pods[made.key]

        async def refused(cluster, pod):
            pod["status"] = {"phase": "Failed", "reason": "OutOfmemory", "message": "Node didn't have enough resource: memory"}

        made = self.spawner(machine=deleted)
        self.refused(made, "was deleted on the cluster", "evicted")
        self.refused(self.spawner(machine=refused), "Node didn't have enough resource", "evicted")

    def test_a_pod_for_which_there_is_no_room_in_time(self):
        async def crowded(cluster, pod):
            pod["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available."}]}

        self.count_looks()
        self.refused(self.spawner(machine=crowded, start_timeout=65), "within 1 minutes. It was at: Waiting for a machine of the cluster: 0/3 nodes are available", "time")


class Runs(Pods):
    """Sessions in which a program runs an entry."""

    def run_of(self, network, **of):
        self.decide(run_priority="cairn-runs")
        made = self.spawner(**of)
        made.cairn_batch = {"network": network}
        made.cairn_prepared.update(environment={"TZ": "UTC"}, arguments=["--ServerApp.terminals_enabled=False"])
        return made

    def spec_of(self, made):
        async def start():
            await made.start()
            return made.cluster.pods[made.key]["spec"]

        return asyncio.run(start())

    def test_everything_else_goes_first_and_only_the_hub_can_be_reached(self):
        spec = self.spec_of(self.run_of(False))
        self.assertEqual((spec["priorityClassName"], spec["labels"]), ("cairn-runs", {"app": "cairn-run", "component": "singleuser-server"}))
        (alias,) = spec["hostAliases"]
        self.assertEqual((alias["hostnames"], spec["dnsPolicy"], spec["dnsConfig"]), (["localhost"], "None", {"nameservers": ["127.0.0.1"]}))
        self.assertIn(alias["ip"], ("127.0.0.1", "::1"))
        (main,) = spec["containers"]
        self.assertEqual((main["args"], main["env"]["TZ"]), (["jupyterhub-singleuser", "--ServerApp.terminals_enabled=False"], "UTC"))

    def test_with_a_network_it_reaches_what_sessions_reach(self):
        spec = self.spec_of(self.run_of(True))
        self.assertEqual((spec["priorityClassName"], spec["labels"]["app"], spec.get("hostAliases"), spec.get("dnsPolicy")), ("cairn-runs", "jupyterhub", None, None))

    def test_a_later_launch_of_the_same_server_may_fetch_packages_again(self):
        made = self.run_of(False)
        self.assertEqual(self.spec_of(made)["labels"]["app"], "cairn-run")
        made.cairn_batch = None
        made._cairn_shape(None)
        self.assertEqual((made.common_labels["app"], made.priority_class_name, made.extra_pod_config.get("dnsPolicy")), ("jupyterhub", "", None))

    def test_sessions_of_people_have_nothing_of_it(self):
        self.decide(run_priority="cairn-runs")
        _, spec = self.started()
        self.assertEqual((spec["priorityClassName"], spec["labels"]["app"], spec["containers"][0]["args"]), ("", "jupyterhub", ["jupyterhub-singleuser"]))

    def test_what_the_agent_says_comes_before_jupyter_unless_the_image_starts_it(self):
        for cmd, want in ((["jupyterhub-singleuser"], ["/session/cairn", "serve-session", "--", "jupyterhub-singleuser"]), (None, [])):
            made = self.spawner(cmd=cmd)
            made.cairn_prepared["front"] = ["/session/cairn", "serve-session", "--"]
            self.assertEqual(self.spec_of(made)["containers"][0]["args"], want)

    def test_for_lack_of_room_it_waits_for_another_time(self):
        async def crowded(cluster, pod):
            pod["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available."}]}

        self.count_looks()
        self.refused(self.run_of(False, machine=crowded, start_timeout=65), "0/3 nodes are available", "evicted")

    def test_the_policy_is_for_the_pods_of_runs(self):
        with open(os.path.join(Recipe.here, "runs.yaml")) as file:
            text = file.read()
        spec = self.spec_of(self.run_of(False))
        self.assertIn(f"matchLabels: {{ app: {spec['labels']['app']} }}", text)
        self.assertIn(f"kind: PriorityClass\nmetadata: {{ name: {spec['priorityClassName']} }}", text)


@unittest.skipUnless(os.geteuid() == 0, "a sandbox stands for the container, and needs root")
class Environments(Pods):
    """Environments are made by an init container of the pod; the sandbox of a session stands for it here."""

    def setUp(self):
        super().setUp()
        index, self.asked = index_of_packages(self, os.path.dirname(self.decided.root))
        self.decide(token="the token", agent_url=agent_of(self, self.decided.root, CAIRN_PIP_INDEX_URL=index))
        self.began, self.lines, self.replaced = asyncio.Event(), [], None

    async def machine(self, cluster, pod):
        """Runs the init container of a pod as a kubelet does."""
        place(pod)
        for one in pod["spec"]["initContainers"]:
            mounts = []
            for mount in one["volumeMounts"]:
                path = f"{self.decided.root}/{mount['subPath']}"
                if not mount.get("readOnly"):
                    os.chown(path, 1000, 1000)  # as all is on the volume
                mounts += ["--ro-bind" if mount.get("readOnly") else "--bind", path, mount["mountPath"]]
            pod["status"]["initContainerStatuses"] = [container(one["name"], running={})]
            self.began.set()
            command = self.replaced or one["command"]
            with cairn_box.call_filter() as calls:
                line = cairn_box.sandbox(1000, mounts, "/", calls) + command
                environment = {"PATH": "/usr/bin:/bin"}
                process = await asyncio.create_subprocess_exec(*line, pass_fds=calls, env=environment, start_new_session=True)
            try:
                status = await process.wait()
            finally:
                end(process)
            pod["status"]["initContainerStatuses"] = [container(one["name"], terminated={"exitCode": status})]
            if status:
                pod["status"]["phase"] = "Failed"
                return
        await runs(cluster, pod)

    def place(self, packages, **of):
        return self.started(machine=self.machine, packages=packages, **of)

    def folder(self, spec):
        return next(one["subPath"] for one in spec["containers"][0]["volumeMounts"] if one["mountPath"].startswith("/session/environments/"))

    def test_packages_are_installed_by_the_pod_once_for_each_person(self):
        lines = ["firefly>=1", "absent==3"]
        made, spec = self.place(lines, limits={"memory": 4 << 30, "cpu": 2, "disk": 1 << 30})
        launch = made.cairn_launch
        self.assertEqual([one["state"] for one in launch.steps], ["done", "active"])
        self.assertEqual(launch.left_out, [{"what": "absent==3", "why": "The package index has no version that fits."}])
        self.assertIn("Successfully installed firefly-1.0", launch.log)
        maker = spec["initContainers"][0]
        self.assertEqual(maker["resources"]["limits"], {"memory": str(4 << 30), "cpu": "2.0", "ephemeral-storage": str(1 << 30)})
        self.assertEqual((maker["image"], maker["securityContext"]["runAsUser"]), ("quay.io/jupyterhub/singleuser:latest", 1000))
        self.assertNotIn("secret", json.dumps(maker))

        # Jupyter sees it read-only, with the kernel beside it; nothing else of the volume can be written to.
        mounts = {one["mountPath"]: one for one in spec["containers"][0]["volumeMounts"]}
        inside = next(path for path in mounts if path.startswith("/session/environments/"))
        self.assertEqual([path for path, one in mounts.items() if not one.get("readOnly")], ["/session/work"])
        self.assertEqual(spec["containers"][0]["env"]["JUPYTER_PATH"], "/session/jupyter")
        with open(f"{self.decided.root}/{mounts['/session/jupyter']['subPath']}/kernels/python3/kernel.json") as file:
            described = json.load(file)
        self.assertEqual((described["argv"][0], described["env"]["PATH"]), (inside + "/venv/bin/python", inside + "/venv/bin:${PATH}"))
        with cairn_box.call_filter() as calls:
            line = cairn_box.sandbox(1000, ["--ro-bind", f"{self.decided.root}/{mounts[inside]['subPath']}", inside], "/", calls)
            line += [inside + "/venv/bin/python", "-c", "import firefly; print(firefly.answer)"]
            self.assertEqual(subprocess.run(line, pass_fds=calls, capture_output=True, text=True).stdout, "42\n")

        count = len(self.asked)
        again, second = self.place(lines)
        self.assertEqual((second["initContainers"], self.folder(second), again.cairn_launch.left_out), ([], self.folder(spec), launch.left_out))
        self.assertEqual((len(self.asked), again.cairn_launch.steps[0]["state"], again.cairn_launch.steps[0]["detail"]), (count, "done", "Kept from before"))

        self.replaced = ["/bin/sh", "-c", "echo '{\"done\": {}}' > /session/said/lines"]
        _, other = self.place(lines, user="bob@example.org")
        self.assertNotEqual(os.path.dirname(os.path.dirname(self.folder(other))), os.path.dirname(os.path.dirname(self.folder(spec))))
        _, newer = self.place(lines, image="example/other:2")
        self.assertNotEqual(self.folder(newer), self.folder(spec))

    def test_a_run_has_no_network_once_its_packages_are_there(self):
        self.decide(run_priority="cairn-runs")
        pods = []

        async def machine(cluster, pod):
            pods.append(pod["spec"])
            await self.machine(cluster, pod)

        made = self.spawner(machine=machine, packages=["firefly>=1"], user="cairn-sessions")
        made.cairn_batch = {"network": False}

        async def start():
            await made.start()

        asyncio.run(start())
        fetching, running = pods
        self.assertEqual([one["labels"]["app"] for one in pods], ["jupyterhub", "cairn-run"])
        self.assertEqual((len(fetching["initContainers"]), running["initContainers"], fetching.get("hostAliases")), (1, [], None))
        self.assertEqual(self.folder(fetching), self.folder(running))
        self.assertEqual([one["priorityClassName"] for one in pods], ["cairn-runs", "cairn-runs"])
        self.assertEqual([one["state"] for one in made.cairn_launch.steps], ["done", "active"])

    def test_two_starts_at_once_make_one_environment(self):
        cluster = Cluster(self.machine)
        one, two = (self.spawner(packages=["firefly"], cluster=Cluster(self.machine)) for _ in range(2))

        async def both():
            await asyncio.gather(one.start(), two.start())

        asyncio.run(both())
        self.assertEqual(len([path for path in self.asked if path.endswith(".whl")]), 1)
        self.assertEqual(sorted(len(made.cluster.pods[made.key]["spec"]["initContainers"]) for made in (one, two)), [0, 1])
        self.assertEqual(cluster.made, 0)

    def test_a_launch_that_is_taken_back_leaves_no_pod_and_no_folder(self):
        made = self.spawner(machine=self.machine, packages=["firefly"])
        self.replaced = ["/bin/sh", "-c", "sleep 3600 & wait"]

        async def cancel():
            started = asyncio.ensure_future(made.start())
            await self.began.wait()
            made.cairn_cancel()
            with self.assertRaises(cairn_hub.Refused):
                await started

        asyncio.run(asyncio.wait_for(cancel(), 60))
        self.leaves_nothing()
        self.assertEqual((made.cluster.pods, made.cairn_launch.reason), ({}, ""))

    def test_a_launch_that_waits_for_another_can_be_taken_back(self):
        first, made = (self.spawner(machine=self.machine, packages=["firefly"]) for _ in range(2))
        self.replaced = ["/bin/sh", "-c", "sleep 3600 & wait"]

        async def cancel():
            making = asyncio.ensure_future(first.start())
            await self.began.wait()
            started = asyncio.ensure_future(made.start())
            while made.cairn_launch.steps[0]["detail"] != "Another session of yours is making it":
                await made.cairn_launch.changed.wait()
            for one, launch in ((made, started), (first, making)):
                one.cairn_cancel()
                with self.assertRaises(cairn_hub.Refused):
                    await launch

        asyncio.run(asyncio.wait_for(cancel(), 60))
        self.assertEqual(made.cluster.made, 0)

    def all_environments(self):
        return glob.glob(self.decided.root + "/.people/*/*")

    def leaves_nothing(self):
        """The agent deletes what isn't whole as soon as the hub has left."""
        until = time.monotonic() + 10
        while self.all_environments() and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual(self.all_environments(), [])

    def test_what_fails_is_told_and_leaves_nothing(self):
        print_failure = "echo '{\"failed\": \"The index is away.\", \"code\": \"index_unreachable\"}' > /session/said/lines; exit 0"
        for command, part, code in (
            ("exit 127", "lacks a shell", "server_fault"), (print_failure, "The index is away.", "index_unreachable"),
            ("exit 3", "was ended", ""), ("ln -s /etc/passwd /session/said/lines", "was ended", ""), ("mkfifo /session/said/lines", "was ended", ""),
            ("echo '{\"done\": {}}' > /session/said/lines; exit 1", "was ended", ""),
            ("echo '[1]\n{\"left\": [1, {}]}\nno JSON' > /session/said/lines; exit 1", "was ended", ""),
        ):  # fmt: skip
            with self.subTest(command):
                self.replaced = ["/bin/sh", "-c", command]
                made = self.spawner(machine=self.machine, packages=["firefly"])
                self.refused(made, part, code)
                self.leaves_nothing()
                self.assertEqual(made.cairn_launch.steps[0]["state"], "failed")
                self.assertNotIn("root:", made.cairn_launch.log, "a file of the hub is shown")

    def test_more_memory_than_the_limit(self):
        async def machine(cluster, pod):
            place(pod)
            pod["status"] |= {"phase": "Failed", "initContainerStatuses": [container("cairn-environment", terminated={"exitCode": 137, "reason": "OOMKilled"})]}

        self.refused(self.spawner(machine=machine, packages=["firefly"]), "more than its 2 GiB of memory", "memory")

    def test_limits_of_time_and_size(self):
        self.replaced = ["/bin/sh", "-c", ": > /session/said/lines; sleep 3600 & wait"]
        self.addCleanup(setattr, self.kube, "SECONDS", self.kube.SECONDS)
        self.kube.SECONDS = 0
        self.refused(self.spawner(machine=self.machine, packages=["firefly"]), "within 0 minutes", "time")
        self.kube.SECONDS = 60
        self.replaced = ["/bin/sh", "-c", "head -c 2000000 /dev/urandom > /session/said/big; sleep 3600 & wait"]
        self.refused(self.spawner({"disk": 1 << 20}, machine=self.machine, packages=["firefly"]), "more than the 1 MiB", "too_large")
        self.leaves_nothing()

    def test_what_a_hub_left_half_made_is_made_again(self):
        self.replaced = ["/bin/sh", "-c", "echo '{\"done\": {}}' > /session/said/lines"]
        _, spec = self.place(["firefly"])
        folder = os.path.dirname(f"{self.decided.root}/{self.folder(spec)}")
        os.remove(folder + "/left.json")
        with open(folder + "/environment/half", "w"):
            pass
        _, again = self.place(["firefly"])
        self.assertEqual((len(again["initContainers"]), os.listdir(folder + "/environment"), self.all_environments()), (1, [], [folder]))

    def test_a_launch_has_time_for_both(self):
        made = self.spawner()
        asyncio.run(self.filled(made, ["firefly"]))
        self.assertGreaterEqual(made.start_timeout, 60 + cairn_pod_environment.SECONDS)
        asyncio.run(self.filled(made, None))
        self.assertEqual(made.start_timeout, 60)

    async def filled(self, made, packages):
        async def ask(*_):
            return {"commit": "", "leftOut": None, "mounts": [], "packages": packages}

        self.addCleanup(setattr, cairn_hub, "ask", cairn_hub.ask)
        cairn_hub.ask = ask
        launch = made.cairn_launch = cairn_hub.Launch(1, ("datasets", "environment", "server"))
        await made._cairn_fill({"datasets": []}, launch)
        self.assertEqual(launch.steps[-1]["state"], "waiting" if packages else "active")

    def test_the_hub_says_whether_it_installs(self):
        one = {"repository": {"url": "https://example.org/x", "folder": "x"}, "environment": True}
        self.assertTrue(self.spawner().cairn_installs(one))
        self.decide(environments=False)
        self.assertFalse(self.spawner().cairn_installs(one))

    def test_a_hub_without_a_place_for_runs_refuses_them(self):
        made = self.spawner()

        async def filled(permit, launch):
            raise cairn_hub.Refused("It went on.")

        made._cairn_fill = filled
        for priority, want in (("", "This hub doesn't run entries."), ("cairn-runs", "It went on.")):
            self.decide(run_priority=priority, token="the token")
            now = int(time.time())
            text = json.dumps({"session": SESSION, "owner": "ann@example.org", "launch": 1, "until": now + 60, "datasets": [], "limits": {}, "batch": {"network": False}})
            key = cairn_hub.hmac.digest(b"the token", b"cairn grant 1", "sha256")
            made.user_options = {"cairn": text, "signature": cairn_hub.hmac.digest(key, text.encode(), "sha256").hex()}
            with self.assertRaises(cairn_hub.Refused) as refused:
                asyncio.run(made.run_pre_spawn_hook())
            self.assertEqual(str(refused.exception), want)


class Sizes(Pods):
    def sized(self, spawner, profile, **limits):
        spawner.cairn_profile, spawner.cairn_limits = profile, {**self.limits, **limits}
        spawner._cairn_check_profile()

        async def live():
            await spawner.start()
            await spawner.stop()

        asyncio.run(live())
        return spawner

    def test_a_size_becomes_what_a_pod_gets(self):
        gpu_nodes = {"node_selector": {"pool": "gpu"}, "tolerations": [{"key": "gpu", "operator": "Exists"}]}
        made = self.spawner(cairn_profiles={"large": gpu_nodes, "small": {}})
        self.sized(made, {"name": "large", "gpus": 2, "image": GPU_IMAGE}, memory=16 << 30, cpu=4)
        self.assertEqual((made.mem_limit, made.cpu_limit, made.image), (16 << 30, 4, GPU_IMAGE))
        self.assertEqual((made.node_selector, made.tolerations), (gpu_nodes["node_selector"], gpu_nodes["tolerations"]))
        self.assertEqual((made.extra_resource_limits, made.extra_resource_guarantees), ({"nvidia.com/gpu": "2"},) * 2)
        # Another launch of the same server has nothing of it.
        self.sized(made, {"name": "small"})
        self.assertEqual((made.image, made.node_selector, made.tolerations), ("quay.io/jupyterhub/singleuser:latest", {}, []))
        self.assertEqual(made.extra_resource_limits, {})

    def test_sizes_that_the_hub_does_not_have_are_refused(self):
        with self.assertRaises(cairn_hub.Refused):
            self.sized(self.spawner(cairn_profiles={"small": {}}), {"name": "large"})
        self.sized(self.spawner(), {"name": "large"})
        self.sized(self.spawner(cairn_profiles={"small": {}}), None)


# The same on KubeSpawner 6, whose lists can't be dictionaries; an environment is nothing but an entry of one.
for tests in (Kube, Endings, Hopeless, Runs, Sizes):
    globals()[tests.__name__ + "6"] = type(tests.__name__ + "6", (tests,), {"kube": loaded(6)})


class Dictionaries(Pods):
    def test_lists_of_the_operators_may_be_dictionaries(self):
        several = {"b": {"name": "mine-2"}, "a": {"name": "mine-1"}}
        made, spec = self.started(init_containers=several, tolerations={"x": {"key": "gpu"}})
        self.assertEqual([one["name"] for one in spec["initContainers"]], ["mine-1", "mine-2"])
        self.assertEqual(made.tolerations, [{"key": "gpu"}])


class Recipe(unittest.TestCase):
    """The image of the hub, and the values that use it."""

    here = os.path.dirname(os.path.abspath(__file__))

    def read(self, name):
        with open(os.path.join(self.here, name)) as file:
            return file.read()

    def copied(self):
        *sources, folder = next(line for line in self.read("Containerfile").splitlines() if line.startswith("COPY cairn")).split()[1:]
        return {os.path.basename(path) for source in sources for path in glob.glob(os.path.join(self.here, source))}, folder

    def test_every_file_of_the_extension_is_in_the_image(self):
        others = {"Containerfile", "values.yaml", "runs.yaml", "jupyterhub_config.py"}
        files = {one.name for one in os.scandir(self.here) if one.is_file() and not one.name.startswith("test_")}
        self.assertEqual(self.copied()[0], files - others)

    def test_the_values_fit_the_image(self):
        values, folder = self.read("values.yaml"), self.copied()[1].rstrip("/")
        self.assertIn(f'sys.path.insert(0, "{folder}")', values)
        program = re.search("(?m)^COPY --from=cairn \\S+ (.+)$", self.read("Containerfile"))[1]
        self.assertIn(f'"command": ["{program}", "agent"]', values)
        chart = re.search("(?m)^ARG CHART=(.+)$", self.read("Containerfile"))[1]
        self.assertIn(f'tag: "{chart}"', values)

    def test_refused_launches_never_end_the_hub(self):
        self.assertRegex(self.read("values.yaml"), r"(?m)^  consecutiveFailureLimit: 0\b")

    def test_the_hub_takes_its_settings_from_the_values(self):
        text = re.split("  extraConfig:.*\n    cairn: \\|\n", self.read("values.yaml"))[1].split("\ncull:")[0]
        lines = "\n".join(line[6:] for line in text.splitlines())
        # In a separate process: what it sets stays set in this one.
        stand_in = "import sys, types; from traitlets.config import Config; c = Config(); c.JupyterHub.services = []\n"
        stand_in += "sys.modules['kubespawner'] = types.SimpleNamespace(KubeSpawner=__import__('test_cairn_kube').stand_in(7))\n"
        show = "\nprint(c.Cairn.environments, c.JupyterHub.services[1]['environment'].get('CAIRN_PIP_INDEX_URL', ''), c.JupyterHub.spawner_class.__name__, len(c.JupyterHub.services))"
        for given, want in (({}, "True  CairnKubeSpawner 2"), ({"CAIRN_ENVIRONMENTS": "off", "CAIRN_PIP_INDEX_URL": "https://pypi.example.org/simple"}, "False https://pypi.example.org/simple CairnKubeSpawner 2")):
            environment = {"PATH": os.environ["PATH"], "CAIRN_HUB_TOKEN": "token", "PYTHONDONTWRITEBYTECODE": "1", **given}
            ended = subprocess.run([sys.executable, "-c", stand_in + lines + show], cwd=self.here, env=environment, capture_output=True, text=True)
            self.assertEqual(ended.stdout.strip("\n"), want, ended.stderr)


def end(process):
    """Kills what stands for a container with all that it started."""
    with contextlib.suppress(ProcessLookupError):
        for child in cairn_box.children(process.pid):
            os.kill(child, signal.SIGKILL)
        os.killpg(process.pid, signal.SIGKILL)


class Texts(unittest.TestCase):
    def test_every_reason_is_told_as_a_sentence(self):
        for reason in cairn_pod.TAKEN:
            text = cairn_pod.evicted(reason, "")
            self.assertRegex(text, r"^The cluster ended this session because [^.]+\. Its files are kept: start it again\.$")


if __name__ == "__main__":
    unittest.main()
