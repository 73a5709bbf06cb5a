import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Download } from "@playwright/test";

// Python is installed for Jupyter, and its zipfile verifies every checksum.
const read = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps({name: archive.read(name).decode("utf-8", "replace") for name in archive.namelist()}))
`;

/** Returns the files of a downloaded zip archive, by path. */
export async function unzip(download: Download): Promise<Record<string, string>> {
  const options = { maxBuffer: 64 * 2 ** 20 };
  const { stdout } = await promisify(execFile)("/usr/bin/python3", ["-c", read, await download.path()], options);
  return JSON.parse(stdout);
}
