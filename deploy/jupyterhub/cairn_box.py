"""The sandbox of a session on the hub's machine, and a look at its processes and files. It knows nothing of the hub."""

import base64
import contextlib
import functools
import json
import os
import subprocess

LOG_BYTES = 8 << 10


CGROUPS = "/sys/fs/cgroup"


def control_groups(session, limits, root=CGROUPS):
    """Creates the control groups that bound a session and returns their folders, of version 2 or of version 1."""
    bounds = {"memory": []}  # by controller of version 1: what is written into which file of version 1 and of version 2
    if limits["memory"]:
        bounds["memory"] = [("memory.limit_in_bytes", "memory.max", str(limits["memory"]))]
    if limits["processes"]:
        bounds["pids"] = [("pids.max", "pids.max", str(limits["processes"]))]
    if limits["cpu"]:
        quota = int(limits["cpu"] * 100_000)
        bounds["cpu"] = [("cpu.cfs_period_us", None, "100000"), ("cpu.cfs_quota_us", "cpu.max", str(quota))]
    second = os.path.exists(root + "/cgroup.controllers")
    groups = []
    for controller, files in bounds.items():
        parent = root + "/cairn" if second else f"{root}/{controller}/cairn"
        if second:
            os.makedirs(parent, exist_ok=True)
            for folder in (root, parent):
                with open(folder + "/cgroup.subtree_control", "w") as control:
                    control.write("+" + controller)
        group = os.path.join(parent, session)
        os.makedirs(group, exist_ok=True)
        for first_name, second_name, value in files:
            if name := second_name if second else first_name:
                with open(os.path.join(group, name), "w") as file:
                    file.write(f"{value} 100000" if name == "cpu.max" else value)
        if group not in groups:
            groups.append(group)
    return groups


def joining(groups):
    """Returns what a new process does before its program runs, so that all that it starts is in these control groups too."""

    def join():
        for group in groups:
            with open(group + "/cgroup.procs", "w") as members:
                members.write(str(os.getpid()))

    return join


def memory_of(session, root=CGROUPS):
    """Returns what a session uses now and used at most, in bytes, or None. Copies of files that the kernel drops when it needs
    the room don't count now."""
    for folder, now, most, droppable in (
        (f"{root}/cairn/{session}", "memory.current", "memory.peak", "inactive_file"),
        (f"{root}/memory/cairn/{session}", "memory.usage_in_bytes", "memory.max_usage_in_bytes", "total_inactive_file"),
    ):
        try:
            with open(f"{folder}/{now}") as file:
                used = int(file.read())
            with open(f"{folder}/memory.stat") as file:
                stat = dict(line.split() for line in file)
        except (OSError, ValueError):
            continue
        try:
            with open(f"{folder}/{most}") as file:
                peak = int(file.read())
        except (OSError, ValueError):
            peak = 0  # kernels before 5.19
        return {"memory": max(0, used - int(stat.get(droppable, 0))), "peak": peak}
    return None


def remove_control_groups(session, root=CGROUPS):
    """Removes the control groups of a session that has ended. One that still has a process stays until the next start."""
    for parent in ("", "/memory", "/pids", "/cpu"):
        try:
            os.rmdir(f"{root}{parent}/cairn/{session}")
        except OSError:
            pass


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as listed:
            return [int(number) for number in listed.read().split()]
    except FileNotFoundError:
        return []


def alive(pid):
    """Returns whether a process runs. A zombie does not."""
    try:
        with open(f"/proc/{pid}/stat") as about:
            return about.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


SYSTEM_FILES = (
    "alternatives ca-certificates fonts group hosts ipython jupyter ld.so.cache ld.so.conf ld.so.conf.d localtime matplotlibrc "
    "mime.types nsswitch.conf octaverc passwd python3 python3.11 R resolv.conf ssl timezone"
).split()


@contextlib.contextmanager
def call_filter():
    """The descriptors that one sandbox inherits: the filter of its system calls, or nothing where it has none."""
    if unfiltered():
        yield ()
        return
    descriptor = open_filter()
    try:
        yield (descriptor,)
    finally:
        os.close(descriptor)


def open_filter():
    # internal/sessions/machine/sandbox of Cairn makes this file, by "make generate".
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cairn_calls.json")) as filters:
        program = json.load(filters)[os.uname().machine]
    descriptor = os.memfd_create("calls")
    os.write(descriptor, base64.b64decode(program))
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


@functools.lru_cache(maxsize=None)
def unfiltered():
    """Why system calls of sandboxes are not filtered on this machine; empty where they are."""
    try:
        descriptor = open_filter()
    except KeyError:
        return "there is no filter for this processor"
    except OSError as problem:
        return str(problem)
    try:
        command = ["/usr/bin/bwrap", "--ro-bind", "/", "/", "--seccomp", str(descriptor), "--", "/usr/bin/true"]
        trial = subprocess.run(command, pass_fds=(descriptor,), capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    finally:
        os.close(descriptor)
    return trial.stderr.strip() if trial.returncode else ""


def sandbox(account, mounts, folder, calls=()):
    """The beginning of a command line that shows a program nothing of the machine but its software and these mounts. The
    program inherits the descriptors of call_filter."""
    line = ["/usr/bin/bwrap", "--unshare-pid", "--as-pid-1", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    line += ["--hostname", "session", "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", str(1 << 30), "--tmpfs", "/tmp"]
    line += ["--perms", "1777", "--size", str(256 << 20), "--tmpfs", "/dev/shm", "--ro-bind", "/usr", "/usr"]
    for link in ("lib", "lib64", "bin", "sbin"):
        line += ["--symlink", "usr/" + link, "/" + link]
    line += ["--dir", "/etc", "--dir", "/session", "--dir", "/session/environments"]
    for name in SYSTEM_FILES:
        line += ["--ro-bind-try", "/etc/" + name, "/etc/" + name]
    for descriptor in calls:
        line += ["--seccomp", str(descriptor)]
    line += [*mounts, "--chdir", folder, "--cap-drop", "ALL"]
    for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_DAC_READ_SEARCH"):
        line += ["--cap-add", capability]
    # A shell is the first process: when the program ends, all that a user left behind ends with it.
    line += ["--", "/bin/sh", "-c", '"$@"; exit $?', "session", "/usr/bin/prlimit", "--nofile=4096", "--core=0"]
    line += ["/usr/bin/setpriv", "--reuid", str(account), "--regid", str(account), "--clear-groups", "--no-new-privs"]
    return line + ["--inh-caps=-all", "--bounding-set=-all", "--"]


def size_of(folder):
    """Bytes that the files of a folder take; other file systems that are mounted in it do not count."""
    total = 0
    device = os.lstat(folder).st_dev
    for where, folders, files in os.walk(folder):
        for name in files:
            try:
                about = os.lstat(os.path.join(where, name))
            except OSError:
                continue
            if about.st_dev == device:
                total += about.st_blocks * 512
    return total


def tail(path):
    try:
        with open(path, "rb") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - LOG_BYTES))
            return log.read().decode("utf-8", "replace").replace("\0", "")
    except OSError:
        return ""
