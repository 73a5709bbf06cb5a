"""A JupyterHub on one Debian machine that runs Cairn's sessions: /etc/jupyterhub/jupyterhub_config.py, with cairn_hub.py,
the other files of this folder beside it. Every value that differs between machines comes from the
environment, so that this file can stay as it is; docs/jupyterhub.md explains each."""

import importlib.util
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)

import cairn_hub  # noqa: E402
import cairn_proxy  # noqa: E402

c = get_config()  # noqa: F821


def setting(name, default=None):
    """Returns a setting; secrets may also be given as the path of a file in NAME_FILE."""
    if path := os.environ.get(name + "_FILE"):
        with open(path) as file:
            return file.read().strip()
    value = os.environ.get(name, default)
    if value is None:
        raise SystemExit(f"jupyterhub_config.py: set {name} or {name}_FILE")
    return value


token = setting("CAIRN_HUB_TOKEN")
program = setting("CAIRN_PROGRAM", "/usr/local/bin/cairn")
if not os.access(program, os.X_OK):
    raise SystemExit(f"jupyterhub_config.py: {program} isn't there. Install the program cairn of the catalog's release, or name it in CAIRN_PROGRAM")
root = setting("CAIRN_ROOT", "/srv/cairn/sessions")
state = setting("CAIRN_HUB_STATE", "/var/lib/jupyterhub")
port = int(setting("CAIRN_HUB_PORT", "8000"))

agent = f"http://127.0.0.1:{setting('CAIRN_WORK_PORT', str(port + 3))}"

# Cairn and its rights. This administers the hub: anyone who has the token can make any user an administrator.
c.JupyterHub.services = [
    {"name": "cairn", "api_token": token},
    {
        "name": "cairn-work",
        "url": agent,
        "command": [program, "agent"],
        "environment": {
            **{name: value for name, value in os.environ.items() if name.startswith("CAIRN_") and not name.startswith("CAIRN_HUB_")},
            **{"CAIRN_ROOT": root, "CAIRN_TOKEN": token, "CAIRN_HUB_PID": str(os.getpid())},
            **{name: os.environ[name] for name in ("SSL_CERT_FILE",) if name in os.environ},
        },
    },
]
c.JupyterHub.load_roles = [
    {
        "name": "cairn",
        "services": ["cairn"],
        "scopes": ["admin:users", "admin:servers", "tokens", "access:servers", "read:hub"],
    }
]

# What runs in a session, and what it may contain.
c.JupyterHub.spawner_class = cairn_hub.CairnLocalSpawner
c.JupyterHub.extra_handlers = cairn_hub.handlers
c.JupyterHub.allow_named_servers = True
c.JupyterHub.named_server_limit_per_user = int(setting("CAIRN_SERVERS_PER_USER", "0"))  # Cairn has its own limit
c.Cairn.token = token
c.Cairn.root = root
c.Cairn.data_root = setting("CAIRN_DATA_ROOT", "")
c.Cairn.agent_url = agent
c.Cairn.environments = setting("CAIRN_ENVIRONMENTS", "on") != "off"
c.Cairn.disk = int(setting("CAIRN_DISK", str(10 << 30)))
c.Cairn.memory = int(setting("CAIRN_MEMORY", "0"))
c.Cairn.cpu = float(setting("CAIRN_CPU", "0"))
c.Cairn.processes = int(setting("CAIRN_PROCESSES", "1024"))
c.Cairn.disk_interval = float(setting("CAIRN_LOOK", "30"))
c.Spawner.args = [
    f"--{app}.{switch}=False" for app in ("NotebookApp", "ServerApp") for switch in ("terminals_enabled", "quit_button")
]
c.Spawner.poll_interval = int(setting("CAIRN_POLL", "10"))
c.Spawner.http_timeout = 60
c.Spawner.environment = {
    "CAIRN_DATASETS": "/session/work/data",
    "PYTHONDONTWRITEBYTECODE": "1",
    # cairn_singleuser.py changes this server's pages; by default JupyterHub prefers jupyter_server if it's installed.
    "JUPYTERHUB_SINGLEUSER_APP": "notebook.notebookapp.NotebookApp",
}

# Answers at once: progress is reported by events, not by a call that waits.
c.JupyterHub.tornado_settings = {"slow_spawn_timeout": 0, "slow_stop_timeout": 10}

# Sessions keep running while the hub restarts, with the connections to them. The proxy's token must stay the same.
c.JupyterHub.cleanup_servers = False
c.JupyterHub.cleanup_proxy = False
c.JupyterHub.proxy_class = cairn_proxy.KeptProxy
c.JupyterHub.db_url = f"sqlite:///{state}/jupyterhub.sqlite"
c.JupyterHub.cookie_secret_file = f"{state}/cookie_secret"
c.ConfigurableHTTPProxy.pid_file = f"{state}/proxy.pid"
c.ConfigurableHTTPProxy.auth_token = setting("CONFIGPROXY_AUTH_TOKEN")
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{port + 1}"
c.ConfigurableHTTPProxy.command = ["/usr/bin/env", "NODE_PATH=/usr/share/nodejs", "/usr/bin/configurable-http-proxy"]
c.JupyterHub.bind_url = f"http://{setting('CAIRN_HUB_HOST', '127.0.0.1')}:{port}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{port + 2}"

# Cairn stops idle sessions by its own rules (sessions.idle, sessions.open_idle). The hub's culler, if installed, only stops
# servers that Cairn has lost: Cairn asks its sessions every 30 s, which the hub counts as activity.
if importlib.util.find_spec("jupyterhub_idle_culler"):
    c.JupyterHub.services.append(
        {
            "name": "cairn-culler",
            "command": [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=86400", "--cull-every=3600"],
        }
    )
    c.JupyterHub.load_roles.append(
        {
            "name": "cairn-culler",
            "services": ["cairn-culler"],
            "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        }
    )

# No one signs in here: people come through Cairn, which enters their sessions with a separate token for each session.
# Replace this if people also use the hub directly.
c.JupyterHub.authenticator_class = "null"
