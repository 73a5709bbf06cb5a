import { type HtmlNode, isBlank } from "./markdownTree";

const blocks =
  /^(p|div|center|figure|figcaption|h[1-6]|[uod]l|li|table|thead|tbody|tfoot|tr|t[dh]|details|summary|blockquote|pre|hr|section|dd|dt)$/;
const isBlock = (node: HtmlNode): boolean => node.type === "root" || blocks.test(node.tagName ?? "");

const isPicture = (node: HtmlNode): boolean => node.tagName === "img";

/** Whether a node is a picture, or a link around pictures. */
function showsPicture(node: HtmlNode): boolean {
  const inside = node.tagName === "a" ? (node.children ?? []).filter((child) => !isBlank(child)) : [];
  return isPicture(node) || (inside.length > 0 && inside.every(isPicture));
}

/** The children between two blocks that have nothing but pictures. */
function pictureLines(children: readonly HtmlNode[]): Set<HtmlNode> {
  const found = new Set<HtmlNode>();
  let line: HtmlNode[] = [];
  const end = () => {
    if (line.every((node) => showsPicture(node) || isBlank(node))) for (const node of line) found.add(node);
    line = [];
  };
  for (const child of children) {
    if (isBlock(child)) end();
    else line.push(child);
  }
  end();
  return found;
}

/** A plugin of rehype that marks pictures, and the blocks that they fill. */
export function markPictures() {
  return (tree: HtmlNode) => {
    const visit = (node: HtmlNode, alone: boolean, inLink: boolean) => {
      const { children = [] } = node;
      const lines = isBlock(node) ? pictureLines(children) : undefined;
      if (isPicture(node)) node.data = { alone, linked: inLink };
      else if (lines && children.some(showsPicture) && lines.size === children.length) node.data = { pictures: true };
      for (const child of children) visit(child, lines ? lines.has(child) : alone, inLink || node.tagName === "a");
    };
    visit(tree, false, false);
  };
}
