"""Cairn's sessions on Kubernetes. It has not been tried on a cluster yet; what it shares with CairnLocalSpawner is tested, and
what it asks of KubeSpawner, with a stand-in (test_cairn_kube.py).

The hub's pod, the service cairn-work in it and the pods of the sessions mount one ReadWriteMany claim at Cairn.root, so the
same hook copies, the same service packs, and a session sees nothing of it but its own folder."""

import os

from cairn_hub import Cairn, CairnSpawnerMixin, Refused, settings
from kubespawner import KubeSpawner
from traitlets import Dict, Float, Integer, Unicode

# What a size may change in a pod, besides limits.
SIZED = ("image", "node_selector", "tolerations", "extra_resource_limits", "extra_resource_guarantees")


class CairnKubeSpawner(CairnSpawnerMixin, KubeSpawner):
    cairn_work_claim = Unicode("cairn-work", help="The ReadWriteMany claim that is mounted at Cairn.root").tag(config=True)
    cairn_data_claim = Unicode("cairn-data", help="The claim that is mounted at Cairn.data_root").tag(config=True)
    cairn_memory = Integer(2 << 30, help="Bytes of memory of a session for which neither Cairn nor the hub sets any").tag(config=True)
    cairn_cpu = Float(1, help="Processors likewise").tag(config=True)
    cairn_share = Float(0.25, help="How much of its limits a pod requests: what the scheduler keeps for it on a node").tag(config=True)

    _cairn_standard = None  # what the hub's operators decided for all pods
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
        self.tolerations = [*standard["tolerations"], *needs.get("tolerations", [])]

    async def start(self):
        if not self.cairn_ours():
            return await super().start()
        # A pod without requests and limits would be the first to be evicted, and could take all of its node.
        self.mem_limit = self.cairn_limits["memory"] or self.cairn_memory
        self.cpu_limit = self.cairn_limits["cpu"] or self.cairn_cpu
        self.mem_guarantee = int(self.mem_limit * self.cairn_share)
        self.cpu_guarantee = round(self.cpu_limit * self.cairn_share, 3)
        self._cairn_size()
        self.volumes = [{"name": "cairn-work", "persistentVolumeClaim": {"claimName": self.cairn_work_claim}}]
        if settings().data_root:
            self.volumes.append({"name": "cairn-data", "persistentVolumeClaim": {"claimName": self.cairn_data_claim, "readOnly": True}})
        self.volume_mounts = [{"name": "cairn-work", "mountPath": "/session/work", "subPath": f"{self.cairn_session}/work"}] + [
            {"mountPath": "/session/work/data/" + folder, "readOnly": True, **source_of(path)} for path, folder in self.cairn_mounts
        ]
        self.working_dir = self.notebook_dir = "/session/work"
        return await super().start()


def source_of(path):
    """Returns the claim of a dataset and its path there: those that the hub fetched are with the sessions."""
    decided = settings()
    own = os.path.join(os.path.realpath(decided.root), "")
    if os.path.realpath(path).startswith(own):
        return {"name": "cairn-work", "subPath": os.path.relpath(os.path.realpath(path), own)}
    return {"name": "cairn-data", "subPath": os.path.relpath(path, os.path.realpath(decided.data_root))}


__all__ = ["Cairn", "CairnKubeSpawner"]
