import { lazy } from "react";
import { plainParagraphs } from "@/lib/markdown";
import type { MarkdownProps } from "./Markdown";
import styles from "./Markdown.module.css";

const Markdown = lazy(async () => ({ default: (await import("./Markdown")).Markdown }));

/**
 * A text that may be Markdown. The renderer is as large as React, so it is loaded only for texts that need it; the page
 * waits for it, because the text would push down the content below.
 */
export function WrittenText({ text, picture }: Pick<MarkdownProps, "text" | "picture">) {
  const paragraphs = plainParagraphs(text);
  if (!paragraphs) return <Markdown text={text} {...(picture && { picture })} />;
  return (
    <div className={styles.text} dir="auto">
      {paragraphs.map((paragraph, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the paragraphs of one text do not move
        <p key={at}>{paragraph}</p>
      ))}
    </div>
  );
}
