import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { kindOf } from "@/features/catalog/kinds";
import { useAuth } from "@/features/identity/useAuth";
import type { UploadType } from "@/features/uploads/shapes";
import { Button, LinkButton } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Choice, Field } from "@/ui/form/Field";
import { Form } from "@/ui/form/Form";
import { Loading } from "@/ui/Loading";
import { SearchBox } from "@/ui/list/SearchBox";
import { Note } from "@/ui/Note";
import { ownEntriesQuery } from "./queries";
import { versionFormMessages as messages } from "./VersionForm.messages";

/** From how many entries on they can be searched. */
const many = 8;

interface VersionFormProps {
  /** What the chosen files can become. */
  types: readonly UploadType[];
  /** Publishes them as a new version; it never fails if somebody thought better of it. */
  onPublish: (entry: Resource, note: string) => Promise<unknown>;
}

/** Chooses an entry of the visitor's that gets a new version, and says what is new in it. */
export function VersionForm({ types, onPublish }: VersionFormProps) {
  const { user } = useAuth();
  const [text, setText] = useState("");
  const list = useQuery(ownEntriesQuery(user?.email ?? "", text));
  const [entry, setEntry] = useState<Resource>();
  const [note, setNote] = useState("");
  const [missing, setMissing] = useState(false);
  const [failures, setFailures] = useState(0);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (chosen: Resource) => onPublish(chosen, note.trim()),
    onError: () => setFailures((before) => before + 1),
  });
  const fits = entry && (entry.type !== "NOTEBOOK" || types.includes("NOTEBOOK"));
  const submit = () => {
    setMissing(!fits);
    if (fits && !isPending) mutate(entry);
  };
  if (!list.data) {
    return list.error ? (
      <ErrorState
        title={messages.failed}
        message={messageOf(list.error)}
        retrying={list.isFetching}
        onRetry={() => void list.refetch()}
      />
    ) : (
      <Loading label={messages.loading} />
    );
  }
  if (list.data.entries.length === 0 && text === "") return <p role="status">{messages.none}</p>;
  const failure = error ? messages.failedToPublish(messageOf(error)) : undefined;
  return (
    <Form
      onSubmit={submit}
      failures={failures}
      error={missing && !fits ? messages.chooseOne : failure}
      actions={
        <>
          <Button type="submit" variant="primary" busy={isPending}>
            {messages.publish}
          </Button>
          <LinkButton to="/sessions">{messages.cancel}</LinkButton>
        </>
      }
    >
      <div className="up-stack">
        <EntryChoice
          types={types}
          found={list.data}
          busy={list.isFetching}
          text={text}
          onSearch={setText}
          chosen={fits ? entry : undefined}
          onChoose={setEntry}
        />
        <div role="status">
          {fits && <Note kind="info">{entry.privacy === "PUBLIC" ? messages.public : messages.private}</Note>}
        </div>
        <Field
          label={messages.note}
          help={messages.noteHelp}
          value={note}
          maxLength={1000}
          onChange={(event) => setNote(event.target.value)}
        />
      </div>
    </Form>
  );
}

interface EntryChoiceProps {
  types: readonly UploadType[];
  found: { entries: Resource[]; more: boolean };
  busy: boolean;
  /** The text of the search. */
  text: string;
  onSearch: (text: string) => void;
  chosen: Resource | undefined;
  onChoose: (entry: Resource) => void;
}

function EntryChoice({ types, found: { entries, more }, busy, text, onSearch, chosen, onChoose }: EntryChoiceProps) {
  // What was chosen before a search stays in sight.
  const shown = chosen && !entries.some(({ id }) => id === chosen.id) ? [chosen, ...entries] : entries;
  return (
    <div className="up-part">
      {(text !== "" || entries.length > many) && (
        <SearchBox label={messages.filter} placeholder={messages.filter} text={text} onSearch={onSearch} />
      )}
      <p className="up-quiet" role="status" aria-busy={busy}>
        {entries.length === 0 ? messages.noneFound : more && messages.more}
      </p>
      {shown.length > 0 && (
        <fieldset className="pb-entries">
          <legend className="visually-hidden">{messages.title}</legend>
          {shown.map((entry) => {
            const { id, name, type, privacy } = entry;
            const unfit = type === "NOTEBOOK" && !types.includes(type);
            return (
              <Choice
                key={id}
                type="radio"
                name="publish-entry"
                label={<bdi>{name}</bdi>}
                help={unfit ? messages.oneNotebook : messages.about(kindOf(type).label, privacy === "PUBLIC")}
                disabled={unfit}
                checked={id === chosen?.id}
                onChange={() => onChoose(entry)}
              />
            );
          })}
        </fieldset>
      )}
    </div>
  );
}
