import { expect, test } from "vitest";
import { type TypedAddress, typedAddress } from "./repositoryAddress";

const empty: TypedAddress = { text: "", cut: false };

/** What the field shows after a text was typed letter by letter. */
function typedOut(text: string): string {
  return [...text].reduce((shown, letter) => typedAddress(shown, shown.text + letter), empty).text;
}

test("a trailing .git goes, pasted or typed", () => {
  expect(typedAddress(empty, "https://github.com/owner/name.git").text).toBe("https://github.com/owner/name");
  expect(typedOut("https://github.com/owner/name.git")).toBe("https://github.com/owner/name");
});

test("a name that goes on behind .git can be typed", () => {
  for (const address of [
    "https://github.com/owner/owner.github.io",
    "https://github.com/owner/x.git-tools",
    "owner/.github",
  ]) {
    expect(typedOut(address)).toBe(address);
    expect(typedAddress(empty, address).text).toBe(address);
  }
  expect(typedOut("https://github.com/o/owner.github.io.git")).toBe("https://github.com/o/owner.github.io");
});

test("other changes stay as they are typed", () => {
  const cut = typedAddress(empty, "https://github.com/o/n.git");
  expect(typedAddress(cut, "https://github.com/o/").text).toBe("https://github.com/o/");
  expect(typedAddress(cut, "https://github.com/o/n/").text).toBe("https://github.com/o/n/");
  expect(typedAddress(cut, "x").text).toBe("x");
});
