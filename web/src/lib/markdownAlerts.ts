import { type HtmlNode, isBlank } from "./markdownTree";

const marker = /^\s*\[!(note|tip|important|warning|caution)\][ \t]*(?:\r?\n|$)/i;

/** A plugin of rehype that marks quotations which are alerts, as GitHub writes them: `[!NOTE]` is their first line. */
export function markAlerts() {
  return (tree: HtmlNode) => {
    const visit = (node: HtmlNode) => {
      node.children?.forEach(visit);
      if (node.tagName !== "blockquote") return;
      const paragraph = node.children?.find((child) => !isBlank(child));
      const first = paragraph?.tagName === "p" ? paragraph.children?.[0] : undefined;
      const [written, kind] = marker.exec(first?.value ?? "") ?? [];
      const next = paragraph?.children?.[1];
      if (written === undefined || kind === undefined || !first || !paragraph) return;
      const rest = first.value?.slice(written.length) ?? "";
      if (rest === "" && next && next.tagName !== "br") return; // more stands on the line
      first.value = rest;
      if (rest === "" && next) paragraph.children?.splice(0, 2);
      if (rest === "" && !next) node.children = node.children?.filter((child) => child !== paragraph) ?? [];
      node.data = { alert: kind.toLowerCase() };
    };
    visit(tree);
  };
}
