import type { ResourcePage } from "@/api/types";
import { insteadMessages as messages } from "./Instead.messages";
import styles from "./Results.module.css";

/** Says what else was searched because nothing matched as typed, or hardly anything. */
export function Instead({ text, page: { corrected, hint } }: { text: string; page: ResourcePage }) {
  const relaxed = hint?.kind === "relaxed" ? hint : undefined;
  if (!corrected && !relaxed) return null;
  return (
    <p className={styles.corrected} role="status">
      {relaxed
        ? messages.relaxed(text.trim(), relaxed.whole, relaxed.words)
        : messages.corrected(text.trim(), corrected ?? "")}
    </p>
  );
}
