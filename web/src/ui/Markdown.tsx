import { type ComponentProps, createContext, type ReactNode, use, useState } from "react";
import ReactMarkdown, { defaultUrlTransform } from "react-markdown";
import remarkGfm from "remark-gfm";
import { canLayOut, hasFormulas } from "@/lib/markdown";
import { headingPlaces, placeAddress } from "@/lib/markdownPlaces";
import { markdownMessages as words } from "./Markdown.messages";
import styles from "./Markdown.module.css";

/** What a text's pictures need: how their addresses become links, and where this server offers them. */
interface Place {
  address: (href: string) => string;
  picture: ((src: string) => string | undefined) | undefined;
}

const TextPlace = createContext<Place>({ address: defaultUrlTransform, picture: undefined });

/** Whether the pictures here stand by themselves, rather than in a line of text or in a link, such as badges. */
const Alone = createContext(false);

// Headings in the text are below the page's. No picture is loaded from its own site, which would learn of the reader.
const components: ComponentProps<typeof ReactMarkdown>["components"] = {
  h1: ({ id, children }) => <h3 id={id}>{children}</h3>,
  h2: ({ id, children }) => <h4 id={id}>{children}</h4>,
  h3: ({ id, children }) => <h5 id={id}>{children}</h5>,
  h4: ({ id, children }) => <h6 id={id}>{children}</h6>,
  h5: ({ id, children }) => <h6 id={id}>{children}</h6>,
  a: ({ node, href = "", children, ...rest }) =>
    href.startsWith("#") ? (
      <a href={href} {...rest}>
        {children}
      </a>
    ) : (
      <WebLink href={href}>{children}</WebLink>
    ),
  p: ({ node, children }) => {
    const alone = node?.children.every((child) =>
      child.type === "element" ? child.tagName === "img" : isBlank(child),
    );
    return alone ? (
      <Alone value={true}>
        <p className={styles.pictures}>{children}</p>
      </Alone>
    ) : (
      <p>{children}</p>
    );
  },
  img: ({ src, alt }) => <Picture src={typeof src === "string" ? src : ""} alt={alt} />,
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

const isBlank = (node: { type: string; value?: string }) => node.type === "text" && node.value?.trim() === "";

/**
 * A picture in a frame of fixed height, so that the text stays in place when it arrives. In other places, and when it can't
 * be shown, a link to it.
 */
function Picture({ src, alt }: { src: string; alt: string | undefined }) {
  const { address, picture } = use(TextPlace);
  const alone = use(Alone);
  const [failed, setFailed] = useState(false);
  const here = alone ? picture?.(src) : undefined;
  const link = (shown: ReactNode) => <WebLink href={address(src)}>{shown}</WebLink>;
  if (!here) return link(words.picture(alt));
  return (
    <span className={styles.picture}>
      {link(
        failed ? (
          words.picture(alt)
        ) : (
          <img src={here} alt={alt || words.picture(alt)} loading="lazy" onError={() => setFailed(true)} />
        ),
      )}
    </span>
  );
}

/** A link in the text; without a valid target it stays text. */
function WebLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (!href) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
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
  /** Removes HTML instead of showing it as text, for files written for a code host that renders it. */
  withoutHtml?: boolean;
}

let loading: Promise<typeof import("./MarkdownFormulas").formulaPlugins> | undefined;

/** What lays out formulas, loaded once. Nothing when it can't be loaded: then they stay as written. */
function formulaPlugins() {
  loading ??= import("./MarkdownFormulas").then(
    (loaded) => loaded.formulaPlugins,
    () => [],
  );
  return loading;
}

/**
 * Renders Markdown with formulas. HTML in it is shown as text, and only http and https addresses become links. A text that would keep the
 * browser busy is shown as plain text.
 */
export function Markdown({ text, link, picture, withoutHtml = false }: MarkdownProps) {
  if (!canLayOut(text)) {
    return (
      <p className={styles.written} dir="auto">
        {text}
      </p>
    );
  }
  const formulas = hasFormulas(text) ? use(formulaPlugins()) : [];
  const address = (href: string) =>
    href.startsWith("#") ? placeAddress(href) : defaultUrlTransform((link ? link(href) : href) ?? "");
  return (
    <TextPlace value={{ address, picture }}>
      <div className={styles.text} dir="auto">
        <ReactMarkdown
          remarkPlugins={[remarkGfm, ...formulas]}
          rehypePlugins={[headingPlaces]}
          components={components}
          skipHtml={withoutHtml}
          urlTransform={(url, key) => (key === "src" ? url : address(url))}
        >
          {text}
        </ReactMarkdown>
      </div>
    </TextPlace>
  );
}
