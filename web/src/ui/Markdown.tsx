import { type ComponentProps, type ReactNode, use } from "react";
import ReactMarkdown, { defaultUrlTransform } from "react-markdown";
import remarkGfm from "remark-gfm";
import { canLayOut, hasFormulas } from "@/lib/markdown";
import { markdownMessages as words } from "./Markdown.messages";
import styles from "./Markdown.module.css";

// Headings in the text are below the page's. Images aren't loaded, because each would reveal the reader to another site.
const components: ComponentProps<typeof ReactMarkdown>["components"] = {
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h4>{children}</h4>,
  h3: ({ children }) => <h5>{children}</h5>,
  h4: ({ children }) => <h6>{children}</h6>,
  h5: ({ children }) => <h6>{children}</h6>,
  a: ({ node, href = "", children, ...rest }) =>
    href.startsWith("#") ? (
      <a href={href} {...rest}>
        {children}
      </a>
    ) : (
      <WebLink href={href}>{children}</WebLink>
    ),
  img: ({ src, alt }) => <WebLink href={typeof src === "string" ? src : undefined}>{words.picture(alt)}</WebLink>,
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

/** A link in the text; without a valid target it stays text. */
function WebLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (!href) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
      {children}
    </a>
  );
}

interface MarkdownProps {
  text: string;
  /** Resolves the target of a link in the text; undefined for no link. */
  link?: (href: string) => string | undefined;
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

/** The prefix of the addresses of a text's footnotes. */
const footnote = "#user-content-";

/**
 * Renders Markdown with formulas. HTML in it is shown as text, and only http and https addresses become links. A text that would keep the
 * browser busy is shown as plain text.
 */
export function Markdown({ text, link, withoutHtml = false }: MarkdownProps) {
  if (!canLayOut(text)) {
    return (
      <p className={styles.written} dir="auto">
        {text}
      </p>
    );
  }
  const formulas = hasFormulas(text) ? use(formulaPlugins()) : [];
  const address = (href: string) => defaultUrlTransform((href.startsWith(footnote) ? href : link?.(href)) ?? "");
  return (
    <div className={styles.text} dir="auto">
      <ReactMarkdown
        remarkPlugins={[remarkGfm, ...formulas]}
        components={components}
        skipHtml={withoutHtml}
        {...(link && { urlTransform: address })}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}
