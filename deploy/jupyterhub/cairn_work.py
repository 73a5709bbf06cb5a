"""The service of the hub by which Cairn reads and removes the work folders of sessions, also of those that do not run.

    GET    /services/cairn-work/SESSION    the work folder as a zip file, without work/data, links and what harms
    DELETE /services/cairn-work/SESSION    removes the session's folder

Cairn's token alone opens it. It is a separate process, so that a large folder never holds the hub up."""

import ctypes
import errno
import hmac
import os
import re
import signal
import stat
import sys
import threading
import time
import unicodedata
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

SESSION = re.compile(r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
ROOT = os.environ.get("CAIRN_ROOT", "")
TOKEN = os.environ.get("CAIRN_TOKEN", "")
REMOVED = ".removed-"  # and the session: a folder that is being deleted
PREFIX = os.environ.get("JUPYTERHUB_SERVICE_PREFIX", "/services/cairn-work/")


class Chunks:
    """Writes an answer whose length is not known before."""

    def __init__(self, stream):
        self.stream = stream

    def write(self, data):
        if data:
            self.stream.write(b"%x\r\n%s\r\n" % (len(data), data))
        return len(data)

    def flush(self):
        self.stream.flush()

    def end(self):
        self.stream.write(b"0\r\n\r\n")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def session(self):
        """Returns the session that is meant; None after a refusal was sent."""
        kind, _, token = self.headers.get("Authorization", "").partition(" ")
        name = self.path.removeprefix(PREFIX)
        if TOKEN == "" or kind != "token" or not hmac.compare_digest(token.encode(), TOKEN.encode()):
            return self.refuse(403)
        if not SESSION.fullmatch(name):
            return self.refuse(200 if name == "" else 404)
        return name

    def refuse(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        session = self.session()
        if session is None:
            return
        try:
            work = os.open(os.path.join(ROOT, session, "work"), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except FileNotFoundError:
            return self.refuse(404)
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/zip")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            out = Chunks(self.wfile)
            pack(work, out)
            out.end()
        except Exception:
            self.close_connection = True  # without its last chunk nobody takes half an archive for a whole one
            raise
        finally:
            os.close(work)

    def do_DELETE(self):
        session = self.session()
        if session is None:
            return
        gone = os.path.join(ROOT, f"{REMOVED}{session}-{time.time_ns()}")
        try:
            os.rename(os.path.join(ROOT, session), gone)
        except FileNotFoundError:
            pass
        try_remove(gone)
        self.refuse(204)

    def log_message(self, *_):
        pass


# The rules below are those of internal/foundation/filetree and internal/sessions/files/workarchive, where they are explained.

OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
DEPTH = 200  # of what is packed; each level holds a descriptor
FREE_BYTES = 256 << 20  # that take no space on the disk, in addition to as many as do
NOTES = "About this archive.txt"
NOTES_LINES = 500
HOOKS = re.compile(r"(^|/)\.git/(modules/(.+/)?)?hooks$", re.I)
CACHES = {".cache", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".ipynb_checkpoints"}
DEVICE = re.compile(r"^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)", re.I)


def remove(folder):
    """Deletes a folder. Folders in folders are moved up before they are emptied, so depth costs neither descriptors nor time."""
    top = os.open(folder, OPEN_FOLDER)
    moved = 0
    try:
        while names := os.listdir(top):
            for name in names:
                if removed(name, top):
                    continue
                inner = open_folder(name, top)
                try:
                    for child in os.listdir(inner):
                        while not removed(child, inner):
                            os.close(open_folder(child, inner))  # its own permissions have to allow that it is moved
                            moved += 1
                            try:
                                os.rename(child, f".{moved}", src_dir_fd=inner, dst_dir_fd=top)
                                break
                            except OSError as problem:
                                if problem.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                                    raise
                finally:
                    os.close(inner)
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    os.rmdir(folder)


def removed(name, folder):
    """Removes a file or an empty folder; False for a folder that isn't empty."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass
    except (IsADirectoryError, PermissionError):
        try:
            os.rmdir(name, dir_fd=folder)
        except OSError as problem:
            if problem.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            return False
    return True


def open_folder(name, parent):
    """Opens a folder, never a link. One of our own account is opened up."""
    handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    try:
        about = os.fstat(handle)
        if about.st_uid == os.geteuid() and about.st_mode & 0o700 != 0o700:
            os.chmod(f"/proc/self/fd/{handle}", stat.S_IMODE(about.st_mode) | 0o700)
        return os.open(".", OPEN_FOLDER, dir_fd=handle)
    finally:
        os.close(handle)


def remove_left():
    """Deletes what is left of removed sessions, as often as it takes."""
    while True:
        for name in os.listdir(ROOT) if os.path.isdir(ROOT) else []:
            if name.startswith(REMOVED):
                try_remove(os.path.join(ROOT, name))
        time.sleep(600)


def try_remove(folder):
    try:
        remove(folder)
    except FileNotFoundError:
        pass  # somebody else did
    except OSError as problem:
        print(f"{folder} takes space and cannot be deleted; trying again: {problem}", file=sys.stderr, flush=True)


def portable(name):
    """Returns a name that no system reads as something else."""
    text = name.encode(errors="surrogateescape").decode(errors="replace")
    text = "".join("_" if c in '\\/:*?"<>|\ufffd' or unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") else c for c in text)
    kept = text.rstrip(". ")
    text = kept + "_" * (len(text) - len(kept))
    return "_" + text if DEVICE.match(text) else text


def compared(name):
    """Returns how systems compare names that know neither case nor ways to compose a character."""
    return unicodedata.normalize("NFC", name).lower()


class Packer:
    """Packs a work folder that its user may be changing, by open folders, so that links lead nowhere."""

    def __init__(self, archive):
        self.archive = archive
        self.stored = self.free = 0  # bytes that take space on the disk, and that don't
        self.linked = set()
        self.omitted, self.renamed = [], []

    def pack(self, work):
        levels = [(work, iter(os.listdir(work)), "", "", {})]  # descriptor, names left, path there, path here, names taken
        taken = levels[0][4]
        try:
            while levels:
                folder, names, there, here, used = levels[-1]
                name = next(names, None)
                if name is None:
                    levels.pop()
                    if levels:
                        os.close(folder)
                    continue
                try:
                    about = os.stat(name, dir_fd=folder, follow_symlinks=False)
                except OSError:
                    continue
                if there + name == "data":
                    continue
                why = self.left_out(there + name, about, len(levels))
                if why:
                    self.omitted.append(f"{there + name!r}: {why}")
                    continue
                claimed = self.claim(name, used)
                if claimed != name:
                    self.renamed.append(f"{there + name!r} is here as {here + claimed!r}")
                if stat.S_ISREG(about.st_mode):
                    self.add(there + name, here + claimed, name, folder)
                    continue
                self.archive.writestr(self.header(here + claimed + "/", about, stat.S_IFDIR | 0o755), b"")
                try:
                    inner = open_folder(name, folder)
                except OSError:
                    continue  # it vanished, or is closed to us
                levels.append((inner, iter(os.listdir(inner)), f"{there}{name}/", f"{here}{claimed}/", {}))
        finally:
            for level in levels[1:]:
                os.close(level[0])
        self.note(taken)

    def note(self, taken):
        text = ""
        for title, lines in (
            ("Left out of this archive. It's still in the session's work folder, until the session is deleted.", self.omitted),
            ("Renamed, so that every system can unpack it:", self.renamed),
        ):
            if lines:
                more = [f"and {len(lines) - NOTES_LINES} more"] if len(lines) > NOTES_LINES else []
                text += "\r\n".join([title, "", *lines[:NOTES_LINES], *more, "", ""])
        if text:
            info = zipfile.ZipInfo(self.claim(NOTES, taken), time.localtime()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            self.archive.writestr(info, text)

    @staticmethod
    def left_out(path, about, depth):
        if stat.S_ISREG(about.st_mode):
            return ""
        if not stat.S_ISDIR(about.st_mode):
            return "It's a link, or not a regular file."
        if HOOKS.search(path):
            return "Git would run these programs on your computer."
        if path.rpartition("/")[2].lower() in CACHES:
            return "Caches and checkpoints are recreated when needed."
        return "Folders are nested too deep." if depth >= DEPTH else ""

    @staticmethod
    def claim(name, used):
        claimed = plain = portable(name)
        first = key = compared(plain)
        stem, extension = os.path.splitext(plain)
        if len(extension) > 20:
            stem, extension = plain, ""
        while key in used:
            used[first] += 1
            suffix = f" ({used[first]}){extension}"
            claimed = stem.encode()[: 255 - len(suffix.encode())].decode(errors="ignore") + suffix
            key = compared(claimed)
        used[key] = 1
        return claimed

    @staticmethod
    def header(path, about, mode):
        when = max(time.localtime(max(about.st_mtime, 0))[:6], (1980, 1, 1, 0, 0, 0))
        info = zipfile.ZipInfo(path, min(when, (2100, 1, 1, 0, 0, 0)))
        info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, mode << 16
        return info

    def add(self, there, here, name, folder):
        """Adds a regular file as long as it was when it was opened."""
        try:
            handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        except OSError:
            self.omitted.append(f"{there!r}: It couldn't be read.")
            return
        with os.fdopen(handle, "rb") as file:
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode):
                return
            left, free = about.st_size, self.without_space(handle, about)
            if self.free + free > FREE_BYTES + self.stored + left - free:
                self.omitted.append(f"{there!r}: It takes less on the disk than the {left} bytes that it would take here.")
                return
            self.free, self.stored = self.free + free, self.stored + left - free
            info = self.header(here, about, stat.S_IFREG | about.st_mode & 0o777 | 0o600)
            with self.archive.open(info, "w", force_zip64=True) as entry:
                while left > 0 and (chunk := file.read(min(left, 1 << 18))):
                    entry.write(chunk)
                    left -= len(chunk)

    def without_space(self, handle, about):
        """Returns how many bytes of a file take no space: those of its further names, and its holes."""
        if about.st_nlink > 1:
            if about.st_ino in self.linked:
                return about.st_size
            self.linked.add(about.st_ino)
        if about.st_blocks * 512 >= about.st_size:
            return 0
        holes = at = 0
        while at < about.st_size:
            try:
                data = min(os.lseek(handle, at, os.SEEK_DATA), about.st_size)
            except OSError as problem:
                if problem.errno != errno.ENXIO:
                    raise
                data = about.st_size
            holes += data - at
            at = os.lseek(handle, data, os.SEEK_HOLE) if data < about.st_size else data
        os.lseek(handle, 0, os.SEEK_SET)
        return holes


def pack(work, out):
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        Packer(archive).pack(work)


def end_with_hub():
    """Lets this process end with the hub, however that ends: the next one starts its own service on the same port."""
    # The hub says who it is: it may have ended before this process got here, and then somebody else is its parent.
    hub = int(os.environ.get("CAIRN_HUB_PID") or os.getppid())
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    if os.getppid() != hub:
        sys.exit(0)


def main():
    end_with_hub()
    threading.Thread(target=remove_left, daemon=True).start()
    address = urlsplit(os.environ["JUPYTERHUB_SERVICE_URL"])
    host = os.environ.get("CAIRN_LISTEN", address.hostname)  # where the hub names itself otherwise than it listens
    ThreadingHTTPServer((host, address.port), Handler).serve_forever()


if __name__ == "__main__":
    sys.exit(main())
