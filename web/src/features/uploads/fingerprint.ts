import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

interface Fingerprinted {
  path: string;
  file: Pick<File, "size" | "lastModified">;
}

/**
 * What an upload is found by when the same files are chosen again: the account, what they are for, and the path, the size and the
 * time of change of each. It tells nothing about them to others who use the browser.
 */
export function fingerprintOf(account: string, target: string, files: readonly Fingerprinted[]): string {
  const parts = files.map(({ path, file }) => [path, file.size, file.lastModified]);
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify([account, target, parts]))));
}
