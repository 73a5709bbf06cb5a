import type { ReactNode } from "react";
import styles from "./Cards.module.css";

/** A list of cards in a grid; each child is an `li`. A card's style sheet uses a container query for its width. */
export function Cards({ children }: { children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets.
    <ul role="list" className={styles.cards}>
      {children}
    </ul>
  );
}

/** The class of the grid, for placeholders of cards. */
export const cardsClass = styles.cards ?? "";
