import type { ArchivedRecord } from "@/api/types";
import type { EntryDraft } from "@/features/contribute/entryDraft";
import type { SourceType } from "./doiCalls";

/** A code host's release is one packed file; other records are data. */
export function likelyType({ files }: Pick<ArchivedRecord, "files">): SourceType {
  const fetched = files.filter(({ fetched }) => fetched);
  const packed = fetched.length === 1 && /\.(zip|tar|tar\.gz|tgz)$/i.test(fetched[0]?.path ?? "");
  return packed && fetched[0]?.path.includes("/") ? "REPOSITORY" : "DATASET";
}

const longestName = 200;

/** What the form of an entry begins with: what the archive says. */
export function doiDraft(record: ArchivedRecord): Partial<EntryDraft> {
  const { doi, title, description, people, keywords, license = "", version = "" } = record;
  const letters = [...title];
  const name = letters.length > longestName ? `${letters.slice(0, longestName - 1).join("")}…` : title;
  return { doi, name, description, people, tags: keywords, license, version };
}
