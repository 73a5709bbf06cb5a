import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { DigestAnswer, DigestWish } from "./digests";

/** How many bytes are in memory at a time. */
const part = 4 << 20;

globalThis.onmessage = async ({ data: { id, content } }: MessageEvent<DigestWish>) => {
  const tell = (answer: DigestAnswer) => globalThis.postMessage(answer);
  try {
    const hash = sha256.create();
    for (let at = 0; at < content.size; at += part) {
      hash.update(new Uint8Array(await content.slice(at, at + part).arrayBuffer()));
    }
    tell({ id, digest: bytesToHex(hash.digest()) });
  } catch {
    tell({ id });
  }
};
