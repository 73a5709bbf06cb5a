/** Begins the ids in a text, so that they can't be taken for those of the page around. */
const begin = "user-content-";

/**
 * The id that a name leads to: of a heading by its text, or as a link spells it. GitHub, Jupyter and editors derive
 * different names from a heading; what they differ in is left out.
 */
function placeOf(name: string): string {
  const letters = name.toLowerCase().replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "");
  return begin + letters.replace(/[\s_-]+/g, "-").replace(/^-|-$/g, "");
}

/** The address of the place in the same text that a link of the text leads to; the ids of footnotes are complete. */
export function placeAddress(href: string): string {
  const name = href.slice(1);
  if (name.startsWith(begin)) return href;
  try {
    return `#${placeOf(decodeURIComponent(name))}`;
  } catch {
    return `#${placeOf(name)}`;
  }
}

interface HtmlNode {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: HtmlNode[];
}

const textOf = (node: HtmlNode): string => node.value ?? node.children?.map(textOf).join("") ?? "";

/** A plugin of rehype that gives headings ids; those of the same text are counted, as on GitHub. */
export function headingPlaces() {
  return (tree: HtmlNode) => {
    const counts = new Map<string, number>();
    const visit = (node: HtmlNode) => {
      if (node.properties && !node.properties.id && /^h[1-6]$/.test(node.tagName ?? "")) {
        const place = placeOf(textOf(node));
        const count = counts.get(place) ?? 0;
        counts.set(place, count + 1);
        node.properties.id = count === 0 ? place : `${place}-${count}`;
      }
      node.children?.forEach(visit);
    };
    visit(tree);
  };
}
