import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

const wheel = "firefly-1.0-py3-none-any.whl";
const build = `
import sys, zipfile
files = {
    "firefly.py": "glow = 'on and off'",
    "firefly-1.0.dist-info/METADATA": "Metadata-Version: 2.1\\nName: firefly\\nVersion: 1.0\\n",
    "firefly-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
}
names = [*files, "firefly-1.0.dist-info/RECORD"]
files[names[-1]] = "".join(name + ",,\\n" for name in names)
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for name, text in files.items():
        archive.writestr(name, text)
`;

/** A package index that has one package, firefly. */
export class PackageIndex {
  url = "";
  readonly #wheel: Buffer;
  readonly #server = createServer(({ url }, response) => {
    if (url === "/simple/firefly/") response.setHeader("Content-Type", "text/html").end(`<!DOCTYPE html><a href="${wheel}">${wheel}</a>`);
    else if (url === `/simple/firefly/${wheel}`) response.end(this.#wheel);
    else response.writeHead(404).end();
  });

  private constructor(content: Buffer) {
    this.#wheel = content;
  }

  static async start(folder: string): Promise<PackageIndex> {
    await mkdir(folder);
    await promisify(execFile)("/usr/bin/python3", ["-c", build, join(folder, wheel)]);
    const index = new PackageIndex(await readFile(join(folder, wheel)));
    index.#server.listen(0, "127.0.0.1");
    await once(index.#server, "listening");
    index.url = `http://127.0.0.1:${(index.#server.address() as AddressInfo).port}/simple/`;
    return index;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
