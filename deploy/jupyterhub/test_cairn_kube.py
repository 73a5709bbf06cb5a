"""Tests of sessions on Kubernetes, with a stand-in that has the traits of KubeSpawner 6 and 7 and refuses others."""

import asyncio
import sys
import types
import unittest

import cairn_hub
from test_cairn_hub import SESSION
from traitlets import Dict, Float, List, Unicode
from traitlets.config import Configurable


class KubeSpawner(Configurable):
    image = Unicode("quay.io/jupyterhub/singleuser:latest").tag(config=True)
    mem_limit = Float(0).tag(config=True)
    cpu_limit = Float(0).tag(config=True)
    node_selector = Dict().tag(config=True)
    tolerations = List().tag(config=True)
    extra_resource_limits = Dict().tag(config=True)
    extra_resource_guarantees = Dict().tag(config=True)
    volumes = List().tag(config=True)
    volume_mounts = List().tag(config=True)
    working_dir = Unicode().tag(config=True)
    notebook_dir = Unicode().tag(config=True)
    own = ("name", "user_options", "user")

    def __setattr__(self, name, value):
        if not (hasattr(type(self), name) or name in self.own or name.startswith(("_", "cairn_"))):
            raise AttributeError(f"KubeSpawner has no trait {name}")
        super().__setattr__(name, value)

    async def start(self):
        return "10.0.0.1", 8888


sys.modules["kubespawner"] = types.ModuleType("kubespawner")
sys.modules["kubespawner"].KubeSpawner = KubeSpawner

import cairn_kube  # noqa: E402: after the stand-in


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
