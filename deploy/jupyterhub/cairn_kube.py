"""Cairn's sessions on Kubernetes. It has not been tried on a cluster yet; what it shares with CairnLocalSpawner is tested.

The hub's pod, the service cairn-work in it and the pods of the sessions mount one ReadWriteMany claim at Cairn.root, so the
same hook copies, the same service packs, and a session sees nothing of it but its own folder."""

import os

from cairn_hub import Cairn, CairnSpawnerMixin, settings
from kubespawner import KubeSpawner
from traitlets import Unicode


class CairnKubeSpawner(CairnSpawnerMixin, KubeSpawner):
    cairn_work_claim = Unicode("cairn-work", help="The ReadWriteMany claim that is mounted at Cairn.root").tag(config=True)
    cairn_data_claim = Unicode("cairn-data", help="The claim that is mounted at Cairn.data_root").tag(config=True)

    async def start(self):
        if not self.cairn_ours():
            return await super().start()
        if self.cairn_limits["memory"]:
            self.mem_limit = self.cairn_limits["memory"]
        if self.cairn_limits["cpu"]:
            self.cpu_limit = self.cairn_limits["cpu"]
        root = os.path.realpath(settings().data_root) if settings().data_root else ""
        self.volumes = [
            {"name": "cairn-work", "persistentVolumeClaim": {"claimName": self.cairn_work_claim}},
            {"name": "cairn-data", "persistentVolumeClaim": {"claimName": self.cairn_data_claim, "readOnly": True}},
        ]
        self.volume_mounts = [{"name": "cairn-work", "mountPath": "/session/work", "subPath": f"{self.cairn_session}/work"}] + [
            {"name": "cairn-data", "mountPath": "/session/work/data/" + folder, "subPath": os.path.relpath(path, root), "readOnly": True}
            for path, folder in self.cairn_mounts
        ]
        self.working_dir = self.notebook_dir = "/session/work"
        return await super().start()


__all__ = ["Cairn", "CairnKubeSpawner"]
