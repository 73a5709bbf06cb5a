import type { ComponentProps } from "react";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { canLayOut } from "@/lib/markdown";
import styles from "./Markdown.module.css";

// Headings of the text lie below the page's own. Pictures are not loaded: each would tell another site who reads here.
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
      <a href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
        {children}
      </a>
    ),
  img: ({ src, alt }) => (
    <a href={typeof src === "string" ? src : undefined} target="_blank" rel="noopener noreferrer nofollow ugc">
      Picture{alt ? `: ${alt}` : ""}
    </a>
  ),
  table: ({ children }) => (
    <div className={styles.scroll}>
      <table>{children}</table>
    </div>
  ),
};

/**
 * A text that somebody wrote in Markdown, as elements. HTML in it stays text, and only addresses of the web are links. One
 * that would keep the browser busy is shown as it was written.
 */
export function Markdown({ text }: { text: string }) {
  if (!canLayOut(text)) {
    return (
      <p className={styles.written} dir="auto">
        {text}
      </p>
    );
  }
  return (
    <div className={styles.text} dir="auto">
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  );
}
