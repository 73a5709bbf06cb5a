/** The placeholder of the catalog's search boxes. */

export const placeholder = "Names, topics, tags, authors";
