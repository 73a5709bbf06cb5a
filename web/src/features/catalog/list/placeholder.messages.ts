/** All words of the catalog that people read, by component. */

export const placeholder = "Names, topics, tags, authors";
