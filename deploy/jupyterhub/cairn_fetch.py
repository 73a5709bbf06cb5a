"""Fetches a dataset from the web and unpacks it, by the rules of internal/foundation/safehttp and of
internal/sessions/files/datasets (fetch.go, unpack.go), where they are explained. cairn_files.py starts it
twice for each dataset, in a sandbox that shows it nothing but one empty folder, as an account that no session has: "fetch"
with the network, then "unpack" without.

What it is asked for comes from standard input, because addresses can hold secrets. It prints one object of JSON on each line:
{"detail": TEXT} for progress, at its end {"done": {...}} or {"failed": TEXT, "code": CODE}."""

import gzip
import hashlib
import http.client
import ipaddress
import json
import os
import posixpath
import resource
import socket
import ssl
import stat
import sys
import tarfile
import time
import zipfile
import zlib
from urllib.parse import urljoin, urlsplit

MEMORY = 2 << 30  # of this process: lists of files and headers in archives are as long as their authors like
PART = 1 << 20
REDIRECTS = 10
ENTRIES = 1_000_000  # files and folders in an archive
DEPTH = 200
RESERVE = 1 << 30  # bytes that stay free on the disk
# Addresses that count as public but lead elsewhere: metadata of a large provider, and addresses of version 4 in others.
DENIED = [ipaddress.ip_network(text) for text in ("168.63.129.16/32", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::ffff:0:0/96")]


class Failed(Exception):
    """Ends it with the rest of a sentence, and the code of its cause."""

    def __init__(self, reason, code=""):
        super().__init__(reason)
        self.code = code


def public(number, allowed=()):
    """Returns whether an address may be dialed: those of the public internet, and those that the operator allows."""
    if any(number in network for network in allowed):
        return True
    return number.is_global and not number.is_multicast and not any(number in network for network in DENIED)


def tell(**what):
    print(json.dumps(what), flush=True)


class Limits:
    """How long it may take and how much it may be."""

    def __init__(self, asked):
        self.bytes, self.stall, self.end = asked["bytes"], asked["stall"], time.monotonic() + asked["seconds"]
        self.said = None

    def check(self, folder):
        if time.monotonic() > self.end:
            raise Failed("it takes too long", "time")
        disk = os.statvfs(folder)
        if disk.f_bavail * disk.f_frsize < RESERVE:
            raise Failed("the hub's disk is nearly full. Tell the operators", "disk_full")

    def progress(self, text):
        if text != self.said:
            self.said = text
            tell(detail=text)


def size(count):
    """Writes a size as Cairn itself does: 512 bytes, 1.5 GiB, 320 MiB."""
    if count < 1024:
        return f"{count} bytes"
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        count /= 1024
        if count < 1023.5 or unit == "TiB":
            return f"{count:.1f}".removesuffix(".0") + f" {unit}" if count < 99.95 else f"{count:.0f} {unit}"


class Connection(http.client.HTTPSConnection):
    """Looks a name up once, and connects only to what it found and may dial."""

    def __init__(self, host, port, allowed, timeout):
        super().__init__(host, port, timeout=timeout, context=ssl.create_default_context())
        self.allowed, self.trust = allowed, ssl.create_default_context()

    def connect(self):
        nowhere = Failed(f"{self.host} can't be reached on the public internet: the name is unknown, or it belongs to a private network")
        try:
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise nowhere from None
        numbers = [ipaddress.ip_address(entry[4][0].partition("%")[0]) for entry in found]
        if not numbers or not all(public(number, self.allowed) for number in numbers):
            raise nowhere
        problem = None
        for number in dict.fromkeys(numbers):
            try:
                dialed = socket.create_connection((str(number), self.port), self.timeout)
                break
            except OSError as reason:
                problem = reason
        else:
            raise problem
        self.sock = self.trust.wrap_socket(dialed, server_hostname=self.host)


def parts_of(address):
    """Returns host, port and path of an address that may be asked."""
    try:
        parts = urlsplit(address)
        port = parts.port or 443
    except ValueError:
        raise Failed("its address isn't a web address") from None
    if parts.scheme != "https" or not parts.hostname or "%" in parts.hostname or any(not 32 < ord(c) < 127 for c in address):
        raise Failed("its address isn't a web address that begins with https://")
    if parts.username is not None or parts.password is not None:
        raise Failed("its address holds a user name or a password")
    if port not in (80, 443) and port < 1024:
        raise Failed(f"port {port} of its address isn't a web server's port")
    return parts.hostname, port, (parts.path or "/") + ("?" + parts.query if parts.query else "")


def fetch(asked, folder):
    """Writes what an address sends into the file "download"."""
    limits, allowed = Limits(asked), [ipaddress.ip_network(network) for network in asked["allow"]]
    address = asked["url"]
    limits.progress("asked for")
    for _ in range(REDIRECTS + 1):
        host, port, path = parts_of(address)
        connection = Connection(host, port, allowed, limits.stall)
        try:
            connection.request("GET", path, headers={"User-Agent": asked["agent"], "Accept": "*/*", "Accept-Encoding": "identity"})
            response = connection.getresponse()
            if response.status in (301, 302, 303, 307, 308) and response.headers["Location"]:
                address = urljoin(address, response.headers["Location"])
                continue
            if response.status != 200:
                raise Failed(f"{host} answers {response.status}")
            return receive(response, host, limits, folder)
        except TimeoutError:
            raise Failed(f"{host} takes too long: nothing came for {limits.stall} seconds", "time") from None
        except ssl.SSLError:
            raise Failed(f"{host} can't be trusted: its certificate isn't valid") from None
        except (OSError, http.client.HTTPException):
            raise Failed(f"{host} can't be reached, or its answer can't be read") from None
        finally:
            connection.close()
    raise Failed("its address leads from one to another without end")


def receive(response, host, limits, folder):
    length, done, digest = response.length, 0, hashlib.sha256()
    if length is not None and length > limits.bytes:
        raise Failed(f"it's larger than {size(limits.bytes)}", "too_large")
    with open(os.path.join(folder, "download"), "xb") as file:
        while part := response.read(PART):
            done += len(part)
            if done > limits.bytes:
                raise Failed(f"it's larger than {size(limits.bytes)}", "too_large")
            limits.check(folder)
            file.write(part)
            digest.update(part)
            limits.progress(f"{100 * done // length} % of {size(length)}" if length else f"{done >> 20} MiB")
    if length is not None and done < length:
        raise Failed(f"{host} closed the connection in the middle of its answer")
    return {"bytes": done, "sha256": digest.hexdigest()}


def kind_of(address):
    """Recognizes an archive by the name in its address."""
    name = posixpath.basename(urlsplit(address).path).lower()
    for end, kind in ((".zip", "zip"), (".tar.gz", "tar.gz"), (".tgz", "tar.gz"), (".tar", "tar")):
        if name.endswith(end):
            return kind
    return ""


class Unpacker:
    """Writes the content of an archive. Links, devices and the like are left out; a name that leads outside refuses the whole
    archive, because that doesn't happen by mistake."""

    def __init__(self, folder, limits, most):
        self.folder, self.limits, self.most = os.path.join(folder, "content"), limits, most
        self.written = self.entries = 0

    def place(self, name):
        self.entries += 1
        if self.entries > ENTRIES:
            raise Failed(f"its archive contains more than {ENTRIES} files")
        clean = posixpath.normpath(name)
        if clean.startswith("/") or clean == ".." or clean.startswith("../") or "\\" in clean or "\0" in clean:
            shown = "".join(c if c.isprintable() else "?" for c in clean[:80])
            raise Failed(f"its archive contains the name “{shown}”, which points elsewhere")
        if clean.count("/") >= DEPTH:
            raise Failed(f"its archive nests folders deeper than the {DEPTH} that are allowed")
        return os.path.join(self.folder, clean)

    def add(self, name, is_folder, is_file, opened):
        path = self.place(name)
        if is_folder:
            os.makedirs(path, exist_ok=True)
        elif is_file:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with opened() as source, open(path, "xb") as file:
                while part := source.read(PART):
                    self.written += len(part)
                    if self.written > self.most:
                        raise Failed(f"the contents of its archive are larger than {size(self.most)}", "too_large")
                    self.limits.check(self.folder)
                    file.write(part)
                    self.limits.progress(f"unpacked {self.written >> 20} MiB")

    def unzip(self, path):
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                kind = stat.S_IFMT(entry.external_attr >> 16)
                plain = kind in (0, stat.S_IFREG) and not entry.is_dir()
                self.add(entry.filename, entry.is_dir(), plain, lambda entry=entry: archive.open(entry))

    def untar(self, path, mode):
        with tarfile.open(path, mode, errorlevel=2) as archive:
            for entry in archive:
                self.add(entry.name, entry.isdir(), entry.isreg(), lambda entry=entry: archive.extractfile(entry))
                archive.members = []  # which it would keep


def unpack(asked, folder):
    """Turns the file "download" into what sessions see: the file or folder "content"."""
    download, content, kind = os.path.join(folder, "download"), os.path.join(folder, "content"), kind_of(asked["url"])
    if not kind:
        os.chmod(download, 0o444)
        os.rename(download, content)
        return {}
    limits, length = Limits(asked), os.lstat(download).st_size
    # Real archives hardly compress better than this, and small ones may be all zeros.
    unpacker = Unpacker(folder, limits, min(limits.bytes, max(1 << 30, 200 * length)))
    os.mkdir(content)
    try:
        if kind == "zip":
            unpacker.unzip(download)
        else:
            unpacker.untar(download, "r|gz" if kind == "tar.gz" else "r|")
    except OSError as problem:
        if problem.errno in (28, 122):  # no room, over quota
            raise Failed("the hub's disk is full. Tell the operators", "disk_full") from None
        raise Failed("its archive is damaged") from None
    except (zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError):
        raise Failed("its archive is damaged, or it needs a password") from None
    os.unlink(download)
    for where, folders, files in os.walk(content, topdown=False):
        for name in files:
            os.chmod(os.path.join(where, name), 0o444)
        os.chmod(where, 0o755 if where == content else 0o555)  # a folder that nobody may write can't be moved
    return {}


def main(work, folder):
    asked = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        tell(done={"fetch": fetch, "unpack": unpack}[work](asked, folder))
    except Failed as failed:
        tell(failed=str(failed), code=failed.code)
    except MemoryError:
        tell(failed="its archive lists too many files", code="")
    except OSError as problem:
        full = problem.errno in (28, 122)
        tell(failed="the hub's disk is full. Tell the operators" if full else "it can't be stored on the hub", code="disk_full" if full else "")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
