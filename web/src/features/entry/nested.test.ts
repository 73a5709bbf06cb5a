import { expect, it } from "vitest";
import type { StructureNode } from "@/api/types";
import { type NestedNode, nested } from "./nested";

const node = (name: string, depth: number): StructureNode => ({ name, depth, kind: "GROUP" });
const written = ({ name, children }: NestedNode): string =>
  children.length === 0 ? name : `${name}(${children.map(written).join(" ")})`;

it.each([
  [[node("root", 0)], "root"],
  [[node("root", 0), node("a", 1), node("b", 2), node("c", 2), node("d", 1), node("e", 2)], "root(a(b c) d(e))"],
  [[node("root", 0), node("a", 1), node("b", 2), node("c", 3), node("d", 1)], "root(a(b(c)) d)"],
])("puts nodes into their groups", (nodes, want) => {
  const root = nested(nodes);
  expect(root && written(root)).toBe(want);
});

it("has no tree of no nodes", () => expect(nested([])).toBeUndefined());
