"""Tests of what a session asks of KubeSpawner, with a stand-in that has the traits of KubeSpawner 6 and 7 and refuses what they
and the API server refuse: python3 -m unittest, in this folder. make test runs them too."""

import asyncio
import sys
import types
import unittest

import cairn_hub
from jupyterhub.traitlets import ByteSpecification
from test_cairn_hub import NAME, SESSION
from traitlets import Dict, Float, List, TraitError, Unicode, Union
from traitlets.config import Configurable


class KubeSpawner(Configurable):
    image = Unicode("quay.io/jupyterhub/singleuser:latest").tag(config=True)
    node_selector = Dict().tag(config=True)
    tolerations = List().tag(config=True)
    extra_resource_limits = Dict().tag(config=True)
    extra_resource_guarantees = Dict().tag(config=True)
    mem_limit = ByteSpecification(None, allow_none=True)
    mem_guarantee = ByteSpecification(None, allow_none=True)
    cpu_limit = Float(None, allow_none=True)
    cpu_guarantee = Float(None, allow_none=True)
    volumes = Union([List(), Dict()])
    volume_mounts = Union([List(), Dict()])
    working_dir = Unicode(allow_none=True)
    notebook_dir = Unicode()

    pod, deleted, scheduled = None, False, True
    own = ("name", "user_options", "user", "waits")

    def __setattr__(self, name, value):
        if not (hasattr(type(self), name) or name in self.own or name.startswith(("_", "cairn_"))):
            raise AttributeError(f"KubeSpawner has no trait {name}")
        super().__setattr__(name, value)

    def run_pre_spawn_hook(self):
        return None

    async def start(self):
        """Makes a pod as KubeSpawner does, and waits until it runs."""
        names = [one["name"] for one in self.volumes]
        paths = [one["mountPath"] for one in self.volume_mounts]
        if len(set(names)) < len(names) or len(set(paths)) < len(paths):
            raise ValueError("422: duplicate value")
        for mount in self.volume_mounts:
            if mount["name"] not in names or mount["subPath"].startswith("/") or ".." in mount["subPath"].split("/"):
                raise ValueError(f"422: invalid value {mount}")
        if self.mem_guarantee and self.mem_limit and self.mem_guarantee > self.mem_limit or self.cpu_guarantee and self.cpu_limit and self.cpu_guarantee > self.cpu_limit:
            raise ValueError("422: must be less than or equal to the limit")
        self.pod = {"limits": (self.mem_limit, self.cpu_limit), "requests": (self.mem_guarantee, self.cpu_guarantee), "mounts": self.volume_mounts}
        while not self.scheduled:
            self.waits.set()
            await asyncio.sleep(3600)
        return "10.0.0.1", 8888

    async def stop(self, now=False):
        self.pod, self.deleted = None, True

    async def progress(self):
        for text in ("0/3 nodes are available: 3 Insufficient memory.", "Pulling image x"):
            yield {"progress": 50, "raw_event": {}, "message": text}
        await asyncio.Event().wait()


sys.modules.setdefault("kubespawner", types.ModuleType("kubespawner")).KubeSpawner = KubeSpawner
import cairn_kube  # noqa: E402


class Kube(unittest.TestCase):
    def setUp(self):
        self.decided = cairn_hub.settings()
        for name, value in {"root": "/srv/cairn/sessions", "data_root": "/srv/cairn/data"}.items():
            self.addCleanup(setattr, self.decided, name, getattr(self.decided, name))
            setattr(self.decided, name, value)

    def spawner(self, limits, mounts=()):
        made = cairn_kube.CairnKubeSpawner()
        made.name, made.user_options, made.waits = NAME, {}, asyncio.Event()
        made.cairn_limits, made.cairn_mounts, made.cairn_launch = limits, list(mounts), cairn_hub.Launch(1)
        return made

    def test_every_pod_has_requests_and_limits(self):
        for limits, want in {
            (0, 0): ((2 << 30, 1), (1 << 29, 0.25)), (8 << 30, 4): ((8 << 30, 4), (2 << 30, 1)), (1 << 20, 0.1): ((1 << 20, 0.1), (1 << 18, 0.025)),
        }.items():
            made = self.spawner({"memory": limits[0], "cpu": limits[1]})
            asyncio.run(made.start())
            self.assertEqual((made.pod["limits"], made.pod["requests"]), want)

    def test_a_session_sees_its_own_folder_and_its_datasets_only(self):
        made = self.spawner({"memory": 0, "cpu": 0}, [("/srv/cairn/data/spikes", "spikes"), ("/srv/cairn/sessions/.datasets/ab/content", "web")])
        asyncio.run(made.start())
        self.assertEqual(made.pod["mounts"], [
            {"name": "cairn-work", "mountPath": "/session/work", "subPath": SESSION + "/work"},
            {"name": "cairn-data", "mountPath": "/session/work/data/spikes", "subPath": "spikes", "readOnly": True},
            {"name": "cairn-work", "mountPath": "/session/work/data/web", "subPath": ".datasets/ab/content", "readOnly": True},
        ])
        self.decided.data_root = ""
        made = self.spawner({"memory": 0, "cpu": 0})
        asyncio.run(made.start())
        self.assertEqual([one["name"] for one in made.volumes], ["cairn-work"])

    def test_a_pod_that_waits_for_a_node_is_deleted_when_the_launch_is_taken_back(self):
        async def cancel():
            made = self.spawner({"memory": 0, "cpu": 0})
            made.scheduled = False
            started = asyncio.ensure_future(made.start())
            await made.waits.wait()
            made.cairn_cancel()
            with self.assertRaises(cairn_hub.Refused):
                await started
            return made.deleted

        self.assertTrue(asyncio.run(cancel()))

    def test_the_events_of_a_pod_are_what_the_last_step_is_at(self):
        async def follow():
            made = self.spawner({"memory": 0, "cpu": 0})
            made.cairn_launch.tell("server", "active")
            seen = []
            async for event in made.progress():
                detail = event["cairn"]["steps"][-1]["detail"]
                if detail not in ["", *seen]:
                    seen.append(detail)
                if detail.startswith("Pulling"):
                    return seen

        self.assertEqual(asyncio.run(follow())[-1], "Pulling image x")

    def test_what_kubespawner_refuses_is_refused_here(self):
        made = self.spawner({"memory": 0, "cpu": 0})
        with self.assertRaises(TraitError):
            made.cpu_limit = "much"
        with self.assertRaises(ValueError):
            asyncio.run(self.spawner({"memory": 0, "cpu": 0}, [("/srv/cairn/other", "x")]).start())

    def test_packages_are_not_installed_by_the_hub_for_pods(self):
        one = {"repository": {"url": "https://example.org/x", "folder": "x"}, "environment": True}
        self.assertFalse(self.spawner({}).cairn_installs(one))


class Sizes(unittest.TestCase):
    def spawner(self, **decided):
        made = cairn_kube.CairnKubeSpawner(**decided)
        made.name, made.user_options = SESSION, {}
        return made

    def started(self, spawner, profile, **limits):
        spawner.cairn_profile, spawner.cairn_limits = profile, {"memory": 0, "cpu": 0, "processes": 0, "disk": 0, **limits}
        spawner._cairn_check_profile()
        asyncio.run(spawner.start())
        return spawner

    def test_a_size_becomes_what_a_pod_gets(self):
        gpu_nodes = {"node_selector": {"pool": "gpu"}, "tolerations": [{"key": "gpu", "operator": "Exists"}]}
        made = self.spawner(cairn_profiles={"large": gpu_nodes, "small": {}})
        self.started(made, {"name": "large", "gpus": 2, "image": "example/gpu:1"}, memory=16 << 30, cpu=4)
        self.assertEqual((made.mem_limit, made.cpu_limit, made.image), (16 << 30, 4, "example/gpu:1"))
        self.assertEqual((made.node_selector, made.tolerations), (gpu_nodes["node_selector"], gpu_nodes["tolerations"]))
        self.assertEqual((made.extra_resource_limits, made.extra_resource_guarantees), ({"nvidia.com/gpu": "2"},) * 2)
        # Another launch of the same server has nothing of it.
        self.started(made, {"name": "small"})
        self.assertEqual((made.image, made.node_selector, made.tolerations), ("quay.io/jupyterhub/singleuser:latest", {}, []))
        self.assertEqual(made.extra_resource_limits, {})

    def test_sizes_that_the_hub_does_not_have_are_refused(self):
        with self.assertRaises(cairn_hub.Refused):
            self.started(self.spawner(cairn_profiles={"small": {}}), {"name": "large"})
        self.started(self.spawner(), {"name": "large"})
        self.started(self.spawner(cairn_profiles={"small": {}}), None)


if __name__ == "__main__":
    unittest.main()
