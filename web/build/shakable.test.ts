import { expect, test } from "vitest";
import { markComponents } from "./shakable";

test("components are marked and lose their names, other code stays", () => {
  const code = [
    "var Link = React10.forwardRef(function LinkWithRef() {});",
    'Link.displayName = "Link";',
    '  inner.displayName = "x";',
    "call(Link.displayName, React10.forwardRef(x));",
  ].join("\n");
  expect(markComponents(code).split("\n")).toEqual([
    "var Link = /* @__PURE__ */ React10.forwardRef(function LinkWithRef() {});",
    "",
    '  inner.displayName = "x";',
    "call(Link.displayName, React10.forwardRef(x));",
  ]);
});
