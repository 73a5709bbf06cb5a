import { randomBytes } from "node:crypto";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { compress } from "./sidecars";

test("text gets both sidecars and they unpack to the same bytes", async () => {
  const content = Buffer.from("a cairn marks the way ".repeat(200));
  const { br, gz } = await compress(content);
  expect(brotliDecompressSync(br as Buffer)).toEqual(content);
  expect(gunzipSync(gz as Buffer)).toEqual(content);
});

test("bytes that do not shrink get no sidecar", async () => {
  expect(await compress(randomBytes(4096))).toEqual({});
});
