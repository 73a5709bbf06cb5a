import type { ResourcePage, SearchHint } from "@/api/types";
import { insteadMessages as messages } from "./Instead.messages";
import styles from "./Results.module.css";

/** Says what else was searched because nothing matched as typed, or hardly anything. */
export function Instead({ text, page: { corrected, hint } }: { text: string; page: ResourcePage }) {
  const relaxed = hint?.kind === "relaxed" ? hint : undefined;
  if (!corrected && !relaxed) return null;
  return (
    <p className={styles.corrected} role="status">
      {relaxed ? relaxedText(text.trim(), relaxed) : messages.corrected(text.trim(), corrected ?? "")}
    </p>
  );
}

function relaxedText(text: string, { words, nowhere, whole }: SearchHint): string {
  if (whole > 0) return `${messages.someWhole(text, whole)} ${messages.others(words)}`;
  if (nowhere.length === 0) return `${messages.noneWhole(text)} ${messages.closest(words)}`;
  return `${messages.nowhere(nowhere)} ${nowhere.length === words.length ? messages.closestElse : messages.closest(words)}`;
}
