import type { StructureNode } from "@/api/types";

/** A node with those in it. */
export interface NestedNode extends StructureNode {
  children: NestedNode[];
}

/** The nodes as a tree: the list has each group before its members, and how deep each is. */
export function nested(nodes: readonly StructureNode[]): NestedNode | undefined {
  const way: NestedNode[] = [];
  for (const node of nodes) {
    const next = { ...node, children: [] };
    way.length = Math.min(node.depth, way.length);
    way.at(-1)?.children.push(next);
    way.push(next);
  }
  return way[0];
}
