"""The service of the hub by which Cairn reads and removes the work folders of sessions, also of those that do not run.

    GET    /services/cairn-work/SESSION    the work folder as a zip file, without work/data and without links
    DELETE /services/cairn-work/SESSION    removes the session's folder

Cairn's token alone opens it. It is a process of its own, so that a large folder never holds the hub up."""

import ctypes
import hmac
import os
import re
import shutil
import signal
import stat
import sys
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

SESSION = re.compile(r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
ROOT = os.environ.get("CAIRN_ROOT", "")
TOKEN = os.environ.get("CAIRN_TOKEN", "")
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
        gone = os.path.join(ROOT, f".removed-{session}")
        try:
            os.rename(os.path.join(ROOT, session), gone)
        except FileNotFoundError:
            pass
        shutil.rmtree(gone, ignore_errors=True)
        self.refuse(204)

    def log_message(self, *_):
        pass


def pack(work, out):
    """Walks by open folders, so that links which a user puts in place meanwhile lead nowhere."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for where, folders, files, here in os.fwalk(".", dir_fd=work, follow_symlinks=False):
            if where == ".":
                folders[:] = [name for name in folders if name != "data"]
                files = [name for name in files if name != "data"]
            for name in folders:
                if stat.S_ISDIR(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
                    archive.writestr(zipfile.ZipInfo(os.path.normpath(f"{where}/{name}") + "/"), b"")
            for name in files:
                try:
                    add(archive, os.path.normpath(f"{where}/{name}"), name, here)
                except (FileNotFoundError, OSError) as problem:
                    if isinstance(problem, (BrokenPipeError, ConnectionError)):
                        raise


def add(archive, path, name, folder):
    """Adds a regular file as long as it was when it was opened."""
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            return
        when = max(time.localtime(about.st_mtime)[:6], (1980, 1, 1, 0, 0, 0))
        info = zipfile.ZipInfo(path, when)
        info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, (stat.S_IFREG | stat.S_IMODE(about.st_mode)) << 16
        left = about.st_size
        with archive.open(info, "w", force_zip64=True) as entry:
            while left > 0 and (chunk := file.read(min(left, 1 << 18))):
                entry.write(chunk)
                left -= len(chunk)


def end_with_hub():
    """Lets this process end with the hub, however that ends: the next one starts a service of its own on the same port."""
    hub = os.getppid()
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    if os.getppid() != hub:
        sys.exit(0)


def main():
    end_with_hub()
    for name in os.listdir(ROOT) if os.path.isdir(ROOT) else []:
        if name.startswith(".removed-"):
            shutil.rmtree(os.path.join(ROOT, name), ignore_errors=True)
    address = urlsplit(os.environ["JUPYTERHUB_SERVICE_URL"])
    host = os.environ.get("CAIRN_LISTEN", address.hostname)  # where the hub names itself otherwise than it listens
    ThreadingHTTPServer((host, address.port), Handler).serve_forever()


if __name__ == "__main__":
    sys.exit(main())
