import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Download } from "@playwright/test";

// Python is here because Jupyter is, and its zipfile checks every sum.
const read = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps({name: archive.read(name).decode("utf-8", "replace") for name in archive.namelist()}))
`;

/** The files of a zip archive that was downloaded, by their paths. */
export async function unzip(download: Download): Promise<Record<string, string>> {
  const options = { maxBuffer: 64 * 2 ** 20 };
  const { stdout } = await promisify(execFile)("/usr/bin/python3", ["-c", read, await download.path()], options);
  return JSON.parse(stdout);
}
