import type { ComponentProps } from "react";
import { classes } from "@/lib/classes";
import styles from "./Card.module.css";
import { type Tone, toneClass } from "./tone";

interface CardProps extends ComponentProps<"article"> {
  /** The color of the spine; undefined for no spine. */
  tone?: Tone;
  /** Its heading contains a link with the class of `cardLink`: the card highlights under the pointer. */
  linked?: boolean;
}

/** A specimen label: a ruled box with a thin spine. Cards in a grid get equal heights. */
export function Card({ tone, linked = false, className, ...rest }: CardProps) {
  return (
    <article {...rest} className={classes(styles.card, tone && toneClass(tone), linked && styles.linked, className)} />
  );
}

/** The class of a link that covers its card. Other controls in the card need the class `aboveCardLink`. */
export const cardLink = styles.link ?? "";
export const aboveCardLink = styles.above ?? "";
