import type { EntryDraft } from "@/features/contribute/entryDraft";
import type { UploadContents } from "./shapes";

const fields = [
  ...(["name", "description", "tags", "people", "license", "doi", "language", "version"] as const),
  ...(["funding", "relatedIdentifiers"] as const),
];

/** What the form of an entry begins with: what its files say, and else the name of their folder. */
export function draftFrom(draft: Partial<UploadContents["draft"]>, folder: string): Partial<EntryDraft> {
  const said = fields.flatMap((field) => (draft[field] ? [[field, draft[field]]] : []));
  return { name: folder, ...(Object.fromEntries(said) as Partial<EntryDraft>) };
}
