import { expect, test } from "vitest";
import { namesOf } from "./packages";

test("packages are named once, in order, without their licenses", () => {
  const bundled = JSON.stringify([
    { name: "b", version: "2.0.0", identifier: "MIT", text: "..." },
    { name: "a", version: "1.0.0", identifier: "ISC" },
  ]);
  expect(
    namesOf(bundled, [
      { name: "katex", version: "3.0.0" },
      { name: "a", version: "1.0.0" },
      { name: "a", version: "1.1.0" },
    ]),
  ).toEqual([
    { name: "a", version: "1.0.0" },
    { name: "a", version: "1.1.0" },
    { name: "b", version: "2.0.0" },
    { name: "katex", version: "3.0.0" },
  ]);
});
