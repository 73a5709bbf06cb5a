"""Fills the folder of a session before its server starts: copies the repository and finds the datasets. What the operator
decided is passed as `decided`, an instance of cairn_hub.Cairn.
"""

import asyncio
import codecs
import contextlib
import errno
import ipaddress
import os
import re
import shutil
import signal
import socket
import stat
import time
from urllib.parse import urlsplit

from cairn_datasets import Unfetched, fetch_dataset
from cairn_fetch import public
from cairn_box import LOG_BYTES, call_filter, children, sandbox, size_of

GIT = "/usr/bin/git"
FOLDER = re.compile(r"^[A-Za-z0-9_][A-Za-z0-9._+-]{0,99}$")


class Refused(Exception):
    """Ends a launch with a sentence that people read, the code of its cause (internal/sessions/diagnosis) if it's known, and the
    ids of the datasets whose absence ended it."""

    def __init__(self, reason, missing=(), code=""):
        super().__init__(reason)
        self.jupyterhub_message = reason
        self.missing, self.code = list(missing), code


def lacking(decided, repository):
    """Returns the programs that launches need and the hub doesn't have."""
    needed = {"bubblewrap": "/usr/bin/bwrap", "util-linux": "/usr/bin/setpriv"} if decided.sandboxed else {}
    if repository:
        needed["git"] = GIT
    return [name for name, path in needed.items() if not os.access(path, os.X_OK)]


def disk_refusal(problem):
    """Returns why a launch ends for which something can't be written; None if that is not why."""
    if problem.errno in (errno.ENOSPC, errno.EDQUOT):
        return Refused("The hub's disk is full. Tell the operators.", code="disk_full")
    if problem.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return Refused("The hub can't write where it keeps sessions: that disk is read-only, or closed to it. Tell the operators.", code="server_fault")
    return None


# What a server says that couldn't start, and why that is.
SERVER_REASONS = (
    (r"No space left on device|Disk quota exceeded", "The hub's disk is full. Tell the operators.", "disk_full"),
    (r"Read-only file system|PermissionError", "Jupyter couldn't start, because it can't write into the session's home folder on the hub. See the log.", ""),
    (r"ModuleNotFoundError|ImportError|No such file or directory: '[^']*jupyter|can't open file", "The hub lacks Jupyter, or a part of it. See the log, and tell the operators.", "server_fault"),
)  # fmt: skip


def server_reason(log):
    """Returns why a server ended before it was ready, and the code of that."""
    for pattern, reason, code in SERVER_REASONS:
        if re.search(pattern, log):
            return reason, code
    return "Jupyter stopped before it was ready. See the log.", ""


def make_folders(decided, session):
    """Creates what is missing. What users may have put at the place of a folder is moved aside, never followed."""
    folder, account = decided.folder(session), decided.account(session)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for name in ("work", "home"):
        path = os.path.join(folder, name)
        if not os.path.lexists(path):
            os.mkdir(path, 0o700)
            if decided.sandboxed:
                os.chown(path, account, account, follow_symlinks=False)
    work = os.open(folder + "/work", os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        try:
            about = os.stat("data", dir_fd=work, follow_symlinks=False)
        except FileNotFoundError:
            about = None
        if about is not None and not stat.S_ISDIR(about.st_mode):
            os.rename("data", f"data-{int(time.time())}", src_dir_fd=work, dst_dir_fd=work)
            about = None
        if about is None:
            os.mkdir("data", 0o755, dir_fd=work)
    finally:
        os.close(work)


TEXT_BYTES = 64 << 10  # of one file that says what a repository needs
TEXTS_BYTES = 96 << 10  # of all of them


def declared(decided, session, folder, names):
    """Returns the texts of these files of a repository by name, None for a file that is too long. Links aren't followed: the
    repository is what its authors made it, and the hub may be root."""
    texts, room = {}, TEXTS_BYTES
    for name in names:
        content = read_plain([decided.folder(session), "work", folder, *name.split("/")], min(TEXT_BYTES, room))
        if content is None:
            texts[name] = None
        elif content:
            texts[name] = content.decode("utf-16" if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8", "replace")
            room -= len(content)
    return texts


def read_plain(parts, most):
    """Returns the content of a file; b"" for what isn't one, None for one longer than most."""
    if any(part in ("", ".", "..") or "/" in part for part in parts[1:]):
        return b""
    at = None
    try:
        at = os.open(parts[0], os.O_DIRECTORY | os.O_NOFOLLOW)
        for kind, part in [(os.O_DIRECTORY, part) for part in parts[1:-1]] + [(os.O_NONBLOCK, parts[-1])]:
            inner = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | kind, dir_fd=at)
            os.close(at)
            at = inner
        if not stat.S_ISREG(os.fstat(at).st_mode):
            return b""
        with open(at, "rb") as file:
            at = None
            content = file.read(most + 1)
        return content if len(content) <= most else None
    except OSError:
        return b""
    finally:
        if at is not None:
            os.close(at)


PROGRESS = re.compile(r"^(?:remote: )?([A-Z][a-z]+ [a-z]+): +([0-9]{1,3})%")


# Clones $1 into $2. If $3 names a branch, tag or commit, it checks that out; if there is none, it prints the branches and tags
# that there are. At its end it prints the commit, the submodules, whose files it leaves out, and the files of which it has only the
# pointers of Git LFS. $0 is the only place where git may connect to.
CLONE = """git() { command /usr/bin/git -c core.hooksPath=/dev/null -c http.followRedirects=false -c "http.curloptResolve=$0" "$@"; }
tell() {
git log -1 --no-show-signature --format='commit-is %H' 2>/dev/null
git -c core.quotePath=false ls-files --stage | while read -r mode id stage name; do [ "$mode" != 160000 ] || echo "submodule $name"; done
git -c core.quotePath=false ls-files -- ':(attr:filter=lfs)' | while read -r name; do
[ -f "$name" ] && read -r line <"$name" && case "$line" in "version https://git-lfs.github.com/spec/"*) echo "lfs-pointer $name";; esac; done
exit 0; }
[ -n "$3" ] || { git clone --progress -- "$1" "$2" && cd "$2" && tell; exit; }
git clone --progress --no-checkout -- "$1" "$2" && cd "$2" || exit
has() { git rev-parse --quiet --verify --end-of-options "$1^{commit}" >/dev/null; }
if has "refs/remotes/origin/$3"; then git checkout --progress -B "$3" --track "refs/remotes/origin/$3" >/dev/null
elif has "refs/tags/$3"; then git checkout --progress --detach "refs/tags/$3" >/dev/null
elif case "$3" in *[!0-9a-f]*) false ;; ???????*) has "$3" ;; *) false ;; esac; then git checkout --progress --detach "$3" >/dev/null
else echo no-ref; git for-each-ref --format='has-ref %(refname:lstrip=3)' refs/remotes/origin; git for-each-ref --format='has-ref %(refname:lstrip=2)' refs/tags; exit 1
fi && tell"""
REF = re.compile(r"[^\s~^:?*\[\\-][^\s~^:?*\[\\]{0,249}")
SAID_BYTES = 64 << 10  # of the names of branches and tags


async def copy_repository(decided, session, repository, launch, disk=0):
    """Clones beside the work folder and moves the whole clone in, so that half a clone is never taken for a repository. What
    is there already stays as it is."""
    folder, account, name = decided.folder(session), decided.account(session), repository["folder"]
    ref = repository.get("ref", "")
    if not FOLDER.fullmatch(name) or name == "data":
        raise Refused("The repository's folder doesn't have a usable name.")
    if ref and (not REF.fullmatch(ref) or ".." in ref or ref.startswith("refs/")):
        raise Refused("The launch asks for something that isn't the name of a branch, tag or commit.", code="ref_unknown")
    if os.path.lexists(os.path.join(folder, "work", name)):
        launch.tell("repository", "active", "Kept from before")
        return
    pin = await reachable(decided, repository["url"])
    place = os.path.join(folder, "clone")
    shutil.rmtree(place, ignore_errors=True)
    os.mkdir(place, 0o700)
    inside = place
    if decided.sandboxed:
        os.chown(place, account, account)
        inside = "/session/clone"
    command = ["/bin/sh", "-c", CLONE, pin, repository["url"], inside + "/repository", ref]
    environment = {
        **{"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": inside, "GIT_TERMINAL_PROMPT": "0"},
        **{"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_ALLOW_PROTOCOL": "http:https"},
    }
    with call_filter() if decided.sandboxed else contextlib.nullcontext(()) as calls:
        if decided.sandboxed:
            command = sandbox(account, ["--bind", place, inside], inside, calls) + command
        git = await asyncio.create_subprocess_exec(
            *command, env=environment, cwd="/", stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, start_new_session=True, pass_fds=calls,
        )  # fmt: skip
    try:
        said = await asyncio.wait_for(follow_git(git, launch, place, disk), decided.clone_timeout)
    except asyncio.TimeoutError:
        raise Refused("The repository couldn't be copied in time.", code="time") from None
    finally:
        if git.returncode is None:
            for kill, one in [(os.kill, child) for child in children(git.pid)] + [(os.killpg, git.pid)]:
                try:
                    kill(one, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            await git.wait()
        if git.returncode != 0:
            shutil.rmtree(place, ignore_errors=True)
    if git.returncode == 127:
        raise Refused("The repository couldn't be copied: the hub has no git. Tell the operators.", code="server_fault")
    if git.returncode != 0 and said[:1] == ["no-ref"]:
        raise Refused(no_ref(ref, said[1:]), code="ref_unknown")
    if git.returncode != 0:
        raise git_refusal(launch.log)
    launch.commit = said[0][10:] if said and said[0].startswith("commit-is ") else ""
    launch.lacks = lacks(said)
    os.rename(place + "/repository", os.path.join(folder, "work", name))
    shutil.rmtree(place, ignore_errors=True)


async def follow_git(git, launch, place, disk):
    """Reports git's progress and returns the lines of its output. A repository above the limit of a session's files ends it."""
    told = asyncio.ensure_future(beginning(git.stdout))
    watched = asyncio.ensure_future(outgrown(place, disk))
    read = asyncio.ensure_future(read_progress(git, launch))
    try:
        await asyncio.wait({read, watched}, return_when=asyncio.FIRST_COMPLETED)
        if watched.done():
            raise Refused(f"The repository is larger than the {disk >> 20} MiB that a session's files may take.", code="too_large")
        await read
        return (await told).decode("utf-8", "replace").splitlines()
    finally:
        for task in (told, watched, read):
            task.cancel()


async def beginning(stream):
    """Reads a stream to its end and returns what it began with."""
    kept = b""
    while part := await stream.read(4096):
        kept += part[: SAID_BYTES - len(kept)]
    return kept


async def outgrown(place, disk):
    """Returns once a folder takes more than a number of bytes; 0: never."""
    while not disk or await asyncio.get_event_loop().run_in_executor(None, size_of, place) <= disk:
        await asyncio.sleep(1)


def lacks(lines):
    """Returns a sentence about what the copy of a repository lacks, of what CLONE printed; "" if that's nothing."""
    sentences = []
    for prefix, sentence in (
        ("submodule ", "The files of submodules aren't copied: "),
        ("lfs-pointer ", "Files in Git LFS aren't copied; there are only pointers to them: "),
    ):
        names = [line[len(prefix) :] for line in lines if line.startswith(prefix)]
        if names:
            others = f" and {len(names) - 3} more" if len(names) > 3 else ""
            sentences.append(sentence + ", ".join(f'"{name}"' for name in names[:3]) + others + ".")
    return " ".join(sentences)


def no_ref(ref, lines):
    names = [line[8:] for line in lines if line.startswith("has-ref ") and line != "has-ref HEAD"]
    quoted = ", ".join(f'"{name}"' for name in names[:12])
    text = f"It has {quoted} and {len(names) - 12} others." if len(names) > 12 else f"It has {quoted}." if names else "It has none at all."
    return f'The repository has no branch, tag or commit "{ref}". {text}'


async def read_progress(git, launch):
    rest = b""
    while chunk := await git.stderr.read(4096):
        *lines, rest = re.split(rb"[\r\n]", rest + chunk)
        for line in lines:
            text = line.decode("utf-8", "replace").strip()
            if found := PROGRESS.match(text):
                launch.tell("repository", "active", f"{found[1]}: {found[2]} %")
            elif text:
                launch.log = (launch.log + text + "\n")[-LOG_BYTES:]
        rest = rest[-4096:]
    await git.wait()


def git_refusal(log):
    fatal = [line[7:] for line in log.splitlines() if line.startswith("fatal: ")]
    if "No space left on device" in log or "Disk quota exceeded" in log:
        return Refused("The repository couldn't be copied: the hub's disk is full. Tell the operators.", code="disk_full")
    if not fatal:
        return Refused("The repository couldn't be copied. See the log.")
    if "could not read Username" in fatal[-1] or "Authentication failed" in fatal[-1]:
        return Refused("The repository couldn't be copied: it doesn't exist, or it isn't public.", code="clone_refused")
    unreachable = re.match(r"unable to access|RPC failed|.*(early EOF|hung up unexpectedly|unexpected disconnect)", fatal[-1])
    refused = re.search(r"The requested URL returned error: 4(?:[013-9]|2[0-8])|not found$", fatal[-1])
    code = "clone_refused" if refused else "clone_unreachable" if unreachable else ""
    return Refused(f"The repository couldn't be copied: {fatal[-1][:300].rstrip('.')}.", code=code)


async def reachable(decided, address):
    """Looks where an address leads and gives it to git as the only place to dial: public addresses, and those that the
    operator allows."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or re.search(r"[\s\\\"'`<>?#]", address):
        raise Refused("The repository's address must be a plain clone address beginning with https:// or http://.")
    port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    try:
        found = await asyncio.get_event_loop().getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    except OSError:
        raise Refused("The repository couldn't be copied: its host wasn't found.", code="clone_unreachable") from None
    allowed = [ipaddress.ip_network(network) for network in decided.allow]
    usable = []
    for entry in found:
        number = ipaddress.ip_address(entry[4][0].partition("%")[0])
        if public(number, allowed):
            usable.append(f"[{number}]" if number.version == 6 else str(number))
    if not usable or len(usable) < len(found):
        raise Refused("The repository couldn't be copied: its host can't be reached on the public internet.", code="clone_unreachable")
    return f"{parts.hostname}:{port}:{','.join(dict.fromkeys(usable))}"


async def fetched(decided, dataset, launch):
    """Returns the path of a dataset that comes from the web."""
    name, shown = dataset["name"], dataset["name"][:80]
    try:
        agent = "Cairn's hub"
        return await fetch_dataset(decided, dataset["url"], agent, lambda text: launch.tell("datasets", "active", f"“{shown}”: {text}"), launch.uses)
    except Unfetched as reason:
        code = reason.code or "dataset_missing"
        raise Refused(f"The dataset “{name}” couldn't be fetched: {reason}.", [dataset.get("id", "")], code) from None


async def place_datasets(decided, datasets, launch=None):
    """Returns (path, folder) of each dataset: below the data root, whatever links lie on the way, or fetched from the web."""
    mounts, reasons, missing = [], [], []
    for dataset in datasets:  # before anything is fetched
        name = dataset["name"]
        if not FOLDER.fullmatch(dataset["folder"]):
            raise Refused(f'The dataset "{name}" has no usable folder.')
        root = os.path.realpath(decided.data_root) if decided.data_root else ""
        real = os.path.realpath(os.path.join(root, dataset.get("path") or "")) if root else ""
        reason = dataset.get("unavailable")
        remote = dataset.get("url") and not dataset.get("path")
        if not reason and remote and not decided.dataset_bytes:
            reason = f'The dataset "{name}" isn\'t available: this hub doesn\'t fetch datasets from the web.'
        if not reason and not remote and (not root or os.path.commonpath([root, real]) != root or real == root or not os.path.exists(real)):
            reason = f'The dataset "{name}" isn\'t available: it isn\'t on this hub.'
        if reason:
            reasons.append(reason)
            missing.append(dataset.get("id", ""))
        mounts.append((real, dataset["folder"]))
    if reasons:
        raise Refused(" ".join(reasons), missing, "dataset_missing")
    for at, dataset in enumerate(datasets):
        if not dataset.get("path"):
            mounts[at] = (await fetched(decided, dataset, launch), dataset["folder"])
    return mounts
