import { useState } from "react";
import { fieldFaults, messageOf, Problem } from "@/api/problem";
import type { Resource } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { Button, LinkButton } from "@/ui/Button";
import { ChipsField } from "@/ui/ChipsField";
import { Choice, Field } from "@/ui/Field";
import { Form, FormGroup } from "@/ui/Form";
import { Note } from "@/ui/Note";
import { DescriptionField } from "./DescriptionField";
import { EntryConflict } from "./EntryConflict";
import {
  type DraftField,
  draftOf,
  type EntryDraft,
  fieldLabels,
  merge,
  newDraft,
  ownFields,
  type WrittenType,
} from "./entryDraft";
import { kindOf, resourcePath } from "./kinds";
import { useSaveEntry } from "./useSaveEntry";

interface EntryFormProps {
  type: WrittenType;
  /** The entry to change, as it was read; none: a new one is made. */
  entry?: Resource;
  /** Reads the entry again, when somebody else changed it meanwhile. */
  onReload?: () => Promise<Resource | undefined>;
}

/** Asks for what an entry says, and saves it. What was typed stays when that fails. */
export function EntryForm({ type, entry, onReload }: EntryFormProps) {
  const { user } = useAuth();
  const email = user?.email.toLowerCase() ?? "";
  const [base, setBase] = useState(entry);
  const [draft, setDraft] = useState(() => (entry ? draftOf(entry) : newDraft(email)));
  const [disputed, setDisputed] = useState<DraftField[]>();
  const [failures, setFailures] = useState(0);
  const { mutate, isPending, error } = useSaveEntry(type);
  const faults = fieldFaults(error);
  const change = (part: Partial<EntryDraft>) => setDraft((now) => ({ ...now, ...part }));
  const leaves = entry !== undefined && !draft.authors.includes(email);

  const takeOver = async () => {
    const theirs = await onReload?.();
    if (!base || !theirs) return;
    const merged = merge(draftOf(base), draft, draftOf(theirs));
    setBase(theirs);
    setDraft(merged.draft);
    setDisputed(merged.disputed);
  };
  const save = () => {
    if (isPending) return;
    setDisputed(undefined);
    mutate(
      { draft, of: base },
      {
        onError: (failure) => {
          setFailures((before) => before + 1);
          if (failure instanceof Problem && failure.status === 409) void takeOver();
        },
      },
    );
  };

  return (
    <Form
      onSubmit={save}
      failures={failures}
      error={
        error && !disputed
          ? Object.keys(faults).length > 0
            ? "Not saved: see the fields above."
            : messageOf(error)
          : undefined
      }
      actions={
        <>
          <Button type="submit" variant="primary" busy={isPending}>
            {entry ? "Save" : `Add ${kindOf(type).label.toLowerCase()}`}
          </Button>
          <LinkButton to={entry ? resourcePath(entry) : "/add"}>Cancel</LinkButton>
        </>
      }
    >
      {disputed && base && (
        <EntryConflict
          theirs={draftOf(base)}
          disputed={disputed}
          onTake={(field) => {
            change({ [field]: draftOf(base)[field] });
            setDisputed(disputed.filter((each) => each !== field));
          }}
        />
      )}
      <Field
        label="Name"
        error={faults.name}
        value={draft.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      {ownFields[type].map(({ name, help }) => (
        <Field
          key={name}
          label={fieldLabels[name]}
          help={help}
          error={faults[name]}
          value={draft[name]}
          spellCheck={false}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      ))}
      <DescriptionField
        text={draft.description}
        error={faults.description}
        onChange={(description) => change({ description })}
      />
      <ChipsField
        label="Tags"
        noun="tag"
        help="Enter adds one. Up to 30, each up to 60 characters; a comma may be part of a tag."
        error={faults.tags}
        values={draft.tags}
        onChange={(tags) => change({ tags })}
      />
      <ChipsField
        label="Authors"
        noun="author"
        help="E-mail addresses. Authors may change and delete the entry, and see it while it is private; they need no account yet."
        error={faults.authors}
        values={draft.authors}
        fixed={entry ? undefined : email}
        inputMode="email"
        onChange={(authors) => change({ authors })}
      />
      {leaves && (
        <Note kind="info" role="status">
          You are no longer among the authors: once this is saved you cannot change the entry any more, nor see it while
          it is private.
        </Note>
      )}
      <FormGroup title="Who sees it">
        {privacies.map(({ value, label, help }) => (
          <Choice
            key={value}
            type="radio"
            name="privacy"
            label={label}
            help={help}
            checked={draft.privacy === value}
            onChange={() => change({ privacy: value })}
          />
        ))}
      </FormGroup>
      <Field
        label="Header image"
        help="The web address of a picture, or nothing. It is shown on the card and loaded by this server alone."
        error={faults.headerImage}
        value={draft.headerImage}
        spellCheck={false}
        onChange={(event) => change({ headerImage: event.target.value })}
      />
    </Form>
  );
}

const privacies = [
  { value: "PUBLIC", label: "Everybody", help: "It is in the catalog for all visitors." },
  { value: "PRIVATE", label: "Its authors only", help: "For nobody else it is in any list, search or tag." },
] as const;
