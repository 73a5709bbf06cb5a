import { type HtmlNode, textOf } from "./markdownTree";

/** Begins the ids in a text, so that they can't be taken for those of the page around. */
const begin = "user-content-";

/** The id of the heading above the footnotes, which their links name. */
const footnotes = "footnote-label";

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

/**
 * A plugin of rehype that gives headings ids; those of the same text are counted, as on GitHub. Ids and names that the
 * author wrote are made like those of headings.
 */
export function headingPlaces() {
  return (tree: HtmlNode) => {
    const counts = new Map<string, number>();
    const taken = new Set<string>();
    const take = (properties: Record<string, unknown>, place: string) => {
      if (place !== begin && !taken.has(place)) properties.id = place;
      taken.add(place);
    };
    const visit = (node: HtmlNode) => {
      const { properties = {} } = node;
      const { id, name } = properties;
      delete properties.name;
      const given = id || name;
      if (given && given !== footnotes && !String(given).startsWith(begin)) {
        delete properties.id;
        take(properties, placeOf(String(given)));
      } else if (!given && /^h[1-6]$/.test(node.tagName ?? "")) {
        const place = placeOf(textOf(node));
        const count = counts.get(place) ?? 0;
        counts.set(place, count + 1);
        take(properties, count === 0 ? place : `${place}-${count}`);
      }
      node.children?.forEach(visit);
    };
    visit(tree);
  };
}
