/** What the page's plugins find out about a node. */
export interface Marks {
  /** Of a picture: it stands by itself in its block, rather than in a line of text. */
  alone?: boolean;
  /** Of a picture: it is in a link. */
  linked?: boolean;
  /** Of a block: there is nothing but pictures in it. */
  pictures?: boolean;
  /** Of a quotation: the kind of alert that it is, in lower case. */
  alert?: string;
}

/** A node of a tree of HTML, as plugins of rehype get it. */
export interface HtmlNode {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  /** What plugins tell components about the node. */
  data?: Marks;
  children?: HtmlNode[];
}

/** The text in a node. */
export const textOf = (node: HtmlNode): string => node.value ?? node.children?.map(textOf).join("") ?? "";

export const isBlank = (node: HtmlNode) =>
  node.type === "comment" || node.tagName === "br" || (node.type === "text" && node.value?.trim() === "");
