"""A hub with the values of deploy/jupyterhub/values.yaml (VALUES, in JSON), as the configuration of Zero to JupyterHub reads them."""

import json
import os
import sys

c = get_config()  # noqa: F821
root, state, data, deploy, port = (os.environ[name] for name in ("CAIRN_ROOT", "CAIRN_HUB_STATE", "CAIRN_DATA_ROOT", "DEPLOY", "CAIRN_HUB_PORT"))
here, port = os.path.dirname(os.path.abspath(__file__)), int(port)
with open(os.environ["VALUES"]) as file:
    text = file.read()
for inside, outside in {
    "/srv/cairn/sessions": root, "/srv/cairn/data": data, "/usr/local/etc/cairn": deploy, "http://hub:10101": f"http://127.0.0.1:{port + 3}", "0.0.0.0": "127.0.0.1",
    "http://127.0.0.1:10101": f"http://127.0.0.1:{port + 3}", "/usr/local/bin/cairn": os.environ["CAIRN_PROGRAM"],
}.items():  # fmt: skip
    assert inside in text, inside
    text = text.replace(inside, outside)
values = json.loads(text)
hub, sessions = values["hub"], values["singleuser"]

# As Zero to JupyterHub does.
sys.path.insert(0, here)
for name, traits in hub["config"].items():
    c[name].update(traits)
c.JupyterHub.load_roles = [{"name": name, **role} for name, role in hub["loadRoles"].items()]
c.JupyterHub.services = []
c.JupyterHub.cleanup_servers = False
c.Spawner.consecutive_failure_limit = hub["consecutiveFailureLimit"]
c.KubeSpawner.uid, c.KubeSpawner.start_timeout, c.KubeSpawner.environment = sessions["uid"], sessions["startTimeout"], sessions["extraEnv"]
for name, value in hub["extraEnv"].items():
    if isinstance(value, str):
        os.environ.setdefault(name, value)
exec(hub["extraConfig"]["cairn"])

# What is different here: the proxy isn't in a separate pod, repositories are on this machine, and nobody has time.
import cairn_proxy  # noqa: E402

c.Spawner.poll_interval = 1
c.KubeSpawner.environment["JUPYTERHUB_SINGLEUSER_APP"] = "notebook.notebookapp.NotebookApp"  # as in jupyterhub_config.py of one machine
c.JupyterHub.proxy_class = cairn_proxy.KeptProxy
c.JupyterHub.cleanup_proxy = False
c.ConfigurableHTTPProxy.pid_file = f"{state}/proxy.pid"
c.ConfigurableHTTPProxy.auth_token = os.environ["CONFIGPROXY_AUTH_TOKEN"]
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{port + 1}"
c.ConfigurableHTTPProxy.command = ["/usr/bin/env", "NODE_PATH=/usr/share/nodejs", "/usr/bin/configurable-http-proxy"]
c.JupyterHub.bind_url = f"http://127.0.0.1:{port}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{port + 2}"
c.JupyterHub.db_url = f"sqlite:///{state}/jupyterhub.sqlite"
c.JupyterHub.cookie_secret_file = f"{state}/cookie_secret"
