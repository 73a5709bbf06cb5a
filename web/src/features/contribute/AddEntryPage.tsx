import { kindDescriptions } from "@/features/catalog/kindDescriptions.messages";
import { BackLink } from "@/ui/BackLink";
import { Page } from "@/ui/Page";
import { EntryForm } from "./EntryForm";
import type { WrittenType } from "./entryDraft";

/** The form of a new entry. */
export function AddEntryPage({ type }: { type: WrittenType }) {
  return (
    <Page width="narrow" above={<BackLink to="/add" />} subtitle={kindDescriptions[type]}>
      <EntryForm type={type} />
    </Page>
  );
}
