import { type ComponentProps, createContext, type ReactNode, use, useState } from "react";
import ReactMarkdown, { defaultUrlTransform } from "react-markdown";
import remarkGfm from "remark-gfm";
import { canLayOut, hasFormulas, hasHtml } from "@/lib/markdown";
import { markAlerts } from "@/lib/markdownAlerts";
import { markPictures } from "@/lib/markdownPictures";
import { headingPlaces, placeAddress } from "@/lib/markdownPlaces";
import type { HtmlNode, Marks } from "@/lib/markdownTree";
import { markdownMessages as words } from "./Markdown.messages";
import styles from "./Markdown.module.css";
import { Note } from "./Note";

/** What a text's pictures need: how their addresses become links, and where this server offers them. */
interface Place {
  address: (href: string) => string;
  picture: ((src: string) => string | undefined) | undefined;
}

const TextPlace = createContext<Place>({ address: defaultUrlTransform, picture: undefined });

const marksOf = (node: object | undefined): Marks => (node as HtmlNode | undefined)?.data ?? {};

/** The attributes that stay of a heading or paragraph. */
const kept = ({ id, align, children }: { id?: string | undefined; align?: string; children?: ReactNode }) => ({
  ...{ id, children },
  ...(align && { align }),
});

// Headings in the text are below the page's. No picture is loaded from its own site, which would learn of the reader.
const components: ComponentProps<typeof ReactMarkdown>["components"] = {
  h1: (props) => <h3 {...kept(props)} />,
  h2: (props) => <h4 {...kept(props)} />,
  h3: (props) => <h5 {...kept(props)} />,
  h4: (props) => <h6 {...kept(props)} />,
  h5: (props) => <h6 {...kept(props)} />,
  a: ({ node, href = "", children, ...rest }) =>
    href.startsWith("#") ? (
      <a href={href} {...rest}>
        {children}
      </a>
    ) : (
      <WebLink href={href} id={rest.id}>
        {children}
      </WebLink>
    ),
  p: ({ node, ...props }) => <p className={marksOf(node).pictures ? styles.pictures : undefined} {...kept(props)} />,
  img: ({ node, src, alt, width, height }) => (
    <Picture
      src={typeof src === "string" ? src : ""}
      alt={alt}
      size={sizeOf({ width, height })}
      alone={marksOf(node).alone}
      linked={marksOf(node).linked}
    />
  ),
  blockquote: ({ node, children }) => {
    const kind = marksOf(node).alert;
    return isAlert(kind) ? (
      <Note kind={kind === "warning" || kind === "caution" ? "error" : "info"} title={words.alerts[kind]}>
        {children}
      </Note>
    ) : (
      <blockquote>{children}</blockquote>
    );
  },
  // In a task list; the text beside it is the task.
  input: ({ checked = false }) => (
    <input type="checkbox" checked={checked} disabled aria-label={checked ? words.done : words.open} />
  ),
  table: ({ children }) => (
    <div className={styles.scroll}>
      <table>{children}</table>
    </div>
  ),
};

type AlertKind = keyof typeof words.alerts;
const isAlert = (kind: string | undefined): kind is AlertKind =>
  kind !== undefined && Object.hasOwn(words.alerts, kind);

interface Size {
  width?: string;
  height?: string;
}

/** The size that the author wants for a picture; undefined for none. */
function sizeOf(written: {
  width: number | string | undefined;
  height: number | string | undefined;
}): Size | undefined {
  const size: Size = {};
  for (const name of ["width", "height"] as const) {
    const value = String(written[name] ?? "").replace(/px$/, "");
    if (/^[1-9]\d{0,3}$/.test(value) || (name === "width" && /^[1-9]\d?%$|^100%$/.test(value))) size[name] = value;
  }
  return size.width || size.height ? size : undefined;
}

interface PictureProps {
  src: string;
  alt: string | undefined;
  size: Size | undefined;
  alone: boolean | undefined;
  linked: boolean | undefined;
}

/**
 * A picture in a frame of fixed height, so that the text stays in place when it arrives, or in the size that its author
 * wants. In other places, such as lines of text and badges, and when it can't be shown, its words. Unless it's in a link, it
 * is one to the picture itself.
 */
function Picture({ src, alt, size, alone, linked }: PictureProps) {
  const { address, picture } = use(TextPlace);
  const [failed, setFailed] = useState(false);
  const elsewhere = /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(src);
  const here = size || (alone && !(linked && elsewhere)) ? picture?.(src) : undefined;
  const name = alt || words.picture(alt);
  const link = (shown: ReactNode) => (linked ? shown : <WebLink href={address(src)}>{shown}</WebLink>);
  if (!here) return link(words.picture(alt));
  if (failed) return link(words.picture(alt));
  const shown = (
    <img
      src={here}
      alt={name}
      {...size}
      className={size && styles.sized}
      loading="lazy"
      onError={() => setFailed(true)}
    />
  );
  return size ? link(shown) : <span className={styles.picture}>{link(shown)}</span>;
}

/** A link in the text; without a valid target it stays text. */
function WebLink({ href, id, children }: { href: string | undefined; id?: string | undefined; children: ReactNode }) {
  if (!href) return id ? <span id={id}>{children}</span> : children;
  return (
    <a href={href} id={id} target="_blank" rel="noopener noreferrer nofollow ugc">
      {children}
    </a>
  );
}

export interface MarkdownProps {
  text: string;
  /** Resolves the target of a link in the text; undefined for no link. */
  link?: (href: string) => string | undefined;
  /** Where this server offers a picture of the text; undefined for a link to it. */
  picture?: (src: string) => string | undefined;
  /** Shows HTML in it as GitHub does, for files; otherwise it is shown as text. */
  html?: boolean;
}

const noFormulas = { remark: [], rehype: [] };
let formulas: Promise<typeof noFormulas | typeof import("./MarkdownFormulas").formulaPlugins> | undefined;

/** What lays out formulas, loaded once. Nothing when it can't be loaded: then they stay as written. */
function formulaPlugins() {
  formulas ??= import("./MarkdownFormulas").then(
    (loaded) => loaded.formulaPlugins,
    () => noFormulas,
  );
  return formulas;
}

let elements: Promise<typeof import("./MarkdownHtml").htmlPlugins> | undefined;

/** What reads and sanitizes HTML, loaded once. Nothing when it can't be loaded: then HTML is removed. */
function htmlPlugins() {
  elements ??= import("./MarkdownHtml").then(
    (loaded) => loaded.htmlPlugins,
    () => [],
  );
  return elements;
}

/**
 * Renders Markdown with formulas, and HTML where it is wanted. Only http and https addresses become links. A text that would
 * keep the browser busy is shown as plain text.
 */
export function Markdown({ text, link, picture, html = false }: MarkdownProps) {
  if (!canLayOut(text)) {
    return (
      <p className={styles.written} dir="auto">
        {text}
      </p>
    );
  }
  const { remark, rehype } = hasFormulas(text) ? use(formulaPlugins()) : noFormulas;
  const sanitized = html && hasHtml(text) ? use(htmlPlugins()) : [];
  const address = (href: string) =>
    href.startsWith("#") ? placeAddress(href) : defaultUrlTransform((link ? link(href) : href) ?? "");
  return (
    <TextPlace value={{ address, picture }}>
      <div className={styles.text} dir="auto">
        <ReactMarkdown
          remarkPlugins={[remarkGfm, ...remark]}
          rehypePlugins={[...sanitized, headingPlaces, markPictures, markAlerts, ...rehype]}
          components={components}
          skipHtml={html}
          urlTransform={(url, key) => (key === "src" ? url : address(url))}
        >
          {text}
        </ReactMarkdown>
      </div>
    </TextPlace>
  );
}
