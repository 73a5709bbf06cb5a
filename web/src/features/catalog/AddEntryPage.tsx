import { BackLink } from "@/ui/BackLink";
import { Page } from "@/ui/Page";
import { EntryForm } from "./EntryForm";
import type { WrittenType } from "./entryDraft";
import { kindOf } from "./kinds";
import { addEntryMessages } from "./messages";

/** The form of a new entry. */
export function AddEntryPage({ type }: { type: WrittenType }) {
  const { label, description } = kindOf(type);
  return (
    <Page title={addEntryMessages.title(label)} width="narrow" above={<BackLink to="/add" />} subtitle={description}>
      <EntryForm type={type} />
    </Page>
  );
}
