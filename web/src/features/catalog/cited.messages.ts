import { relations, roles } from "./cited.json";

/** The roles of people, as DataCite calls them; authors have none. The server's documents use the same words. */
export const roleWords = roles;

/** DataCite's relations, as the beginning of a sentence about the entry. */
export const relationWords = relations;
