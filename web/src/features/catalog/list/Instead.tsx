import type { ResourcePage } from "@/api/types";
import { Filled } from "@/ui/Filled";
import { insteadMessages as messages } from "./Instead.messages";
import styles from "./Results.module.css";

/** Says what else was searched because nothing matched as typed, or hardly anything. */
export function Instead({ text, page }: { text: string; page: ResourcePage }) {
  const relaxed = page.hint?.kind === "relaxed" ? page.hint : undefined;
  if (!page.corrected && !relaxed) return null;
  return (
    <p className={styles.corrected} role="status">
      <Filled
        text={relaxed ? messages.whole(relaxed.whole) : messages.instead}
        values={{
          text: text.trim(),
          words: <strong>{messages.words(relaxed?.words ?? [page.corrected ?? ""])}</strong>,
        }}
      />
    </p>
  );
}
