import { LinkButton } from "@/ui/Button";
import type { AskOperators as Ask } from "./notEnabled";
import { notEnabledMessages as messages } from "./notEnabled.messages";
import styles from "./RunButton.module.css";

/** The way to somebody who can enable an account: a link, or a sentence where there is none. */
export function AskOperators({ ask }: { ask: Ask }) {
  if ("advice" in ask) return <p className={styles.why}>{ask.advice}</p>;
  return (
    <LinkButton to={ask.href} newTab>
      {messages.ask}
    </LinkButton>
  );
}
