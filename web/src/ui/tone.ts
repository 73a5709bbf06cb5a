import styles from "./tone.module.css";

/** The colors that mean something: the kinds of resources and the states of sessions choose from these. */
export type Tone = "blue" | "red" | "green" | "purple" | "grey";

/** The class that sets --tone, and --tone-ink, which is read well on --tone-tint. */
export const toneClass = (tone: Tone) => styles[tone] ?? "";
