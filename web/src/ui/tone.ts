import styles from "./tone.module.css";

/** The semantic colors, for kinds of resources and states of sessions. */
export type Tone = "blue" | "red" | "green" | "amber" | "purple" | "grey";

/** The class that sets --tone, and --tone-ink, which is readable on --tone-tint. */
export const toneClass = (tone: Tone) => styles[tone] ?? "";
