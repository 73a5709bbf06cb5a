/** The colours that mean something: the kinds of resources and the states of sessions choose from these. */
export type Tone = "blue" | "red" | "green" | "purple" | "grey";
