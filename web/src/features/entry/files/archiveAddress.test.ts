import { expect, it } from "vitest";
import { archiveAddress } from "./archiveAddress";

it("knows the archive of a repository at GitHub, and of no other", () => {
  for (const address of [
    "https://github.com/owner/code",
    "https://github.com/owner/code.git",
    "https://github.com/owner/code/",
  ])
    expect(archiveAddress(address)).toBe("https://github.com/owner/code/archive/HEAD.zip");
  for (const address of [
    undefined,
    "bundled:first-steps",
    "https://example.org/owner/code",
    "https://github.com.example.org/a/b",
  ])
    expect(archiveAddress(address)).toBeUndefined();
});
