import type { ArchivedRecord } from "@/api/types";
import type { EntryDraft } from "./entryDraft";

const longestName = 200;

/** What the form of an entry begins with: what the archive says. */
export function doiDraft(record: ArchivedRecord): Partial<EntryDraft> {
  const { doi, title, description, people, keywords, license = "", version = "" } = record;
  const letters = [...title];
  const name = letters.length > longestName ? `${letters.slice(0, longestName - 1).join("")}…` : title;
  return { doi, name, description, people, tags: keywords, license, version };
}
