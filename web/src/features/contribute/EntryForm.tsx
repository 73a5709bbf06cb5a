import { useState } from "react";
import { fieldFaults, hasCode, messageOf } from "@/api/problem";
import type { Resource, ResourceType } from "@/api/types";
import { kindOf, resourcePath } from "@/features/catalog/kinds";
import { useAuth } from "@/features/identity/useAuth";
import { keptVersion } from "@/lib/keptFiles";
import { Button, LinkButton } from "@/ui/Button";
import { ChipsField } from "@/ui/form/ChipsField";
import { Choice, Field } from "@/ui/form/Field";
import { Form, FormGroup } from "@/ui/form/Form";
import { FormFold } from "@/ui/form/FormFold";
import { Note } from "@/ui/Note";
import { Alike } from "./Alike";
import { CreditFields, FundingFields, TextPart } from "./CitedFields";
import { DescriptionField } from "./DescriptionField";
import { EntryConflict } from "./EntryConflict";
import { entryFormMessages as messages } from "./EntryForm.messages";
import styles from "./EntryForm.module.css";
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
import { FormPart, OffersContext } from "./FormPart";
import { FoundNote } from "./FoundNote";
import { fieldHelpMessages } from "./fieldHelp.messages";
import type { OfferedField } from "./offers";
import { useFieldInAddress } from "./useFieldInAddress";
import { useOffers } from "./useOffers";
import { type CreateEntry, useSaveEntry } from "./useSaveEntry";

const creditFields = ["people", "license", "version", "language"] as const;
const fundingFields = ["funding", "relatedIdentifiers"] as const;

interface FromFiles {
  draft: Partial<EntryDraft>;
  create: CreateEntry;
  /** Of files of a session: it is private at first, so that isn't asked, and the form leads back there. */
  published?: { submit: string; back: string };
}

interface EntryFormProps {
  type: ResourceType;
  /** The entry to change; undefined for a new one. */
  entry?: Resource;
  /** Reads the entry again after somebody else has changed it. */
  onReload?: () => Promise<Resource | undefined>;
  /** Of a new entry of files that this server keeps: what they say about themselves, and what adds it. */
  uploaded?: FromFiles;
}

/** The form of an entry. If saving fails, the input is kept. */
export function EntryForm({ type, entry, onReload, uploaded }: EntryFormProps) {
  const { user } = useAuth();
  const email = user?.email.toLowerCase() ?? "";
  const [base, setBase] = useState(entry);
  const [draft, setDraft] = useState(() => (entry ? draftOf(entry) : { ...newDraft(email), ...uploaded?.draft }));
  const [disputed, setDisputed] = useState<DraftField[]>();
  const [failures, setFailures] = useState(0);
  const [named, setNamed] = useState(draft.name);
  const { mutate, isPending, error } = useSaveEntry(type, uploaded?.create);
  const faults = fieldFaults(error);
  const change = (part: Partial<EntryDraft>) => setDraft((now) => ({ ...now, ...part }));
  const { found, offers, askAgain } = useOffers(draft);
  const fields = useFieldInAddress();
  const texts = { draft, faults, onChange: change, onLeave: askAgain };
  /** Whether a part of the form begins open: something is in it, or is offered for it. */
  const opens = (fields: readonly OfferedField[]) =>
    fields.some(
      (field) => offers[field] !== undefined || ((entry ?? uploaded) !== undefined && draft[field].length > 0),
    );
  /** Where its files are isn't typed. */
  const hasFiles = uploaded !== undefined || (entry !== undefined && keptVersion(entry) !== undefined);
  const published = uploaded?.published;
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
          if (hasCode(failure, "entry_changed")) void takeOver();
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
            ? messages.seeFields
            : messages.notSaved(messageOf(error))
          : undefined
      }
      actions={
        <>
          <Button type="submit" variant="primary" busy={isPending}>
            {published?.submit ?? (entry ? messages.save : messages.add(kindOf(type).label))}
          </Button>
          <LinkButton to={published?.back ?? (entry ? resourcePath(entry) : "/add")}>{messages.cancel}</LinkButton>
        </>
      }
    >
      <OffersContext value={{ offers, onUse: change }}>
        <div ref={fields} className={styles.fields}>
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
          {(hasFiles ? [] : ownFields[type as WrittenType]).map(({ name, help }) => (
            <Field
              key={name}
              label={fieldLabels[name]}
              help={help}
              error={faults[name]}
              value={draft[name]}
              spellCheck={false}
              onChange={(event) => change({ [name]: event.target.value })}
              onBlur={askAgain}
            />
          ))}
          <TextPart field="doi" {...texts} />
          {found && <FoundNote found={found} offered={Object.keys(offers).length} />}
          <FormFold title={messages.basics} open>
            <FormPart field="name">
              <Field
                label={fieldLabels.name}
                error={faults.name}
                value={draft.name}
                onChange={(event) => change({ name: event.target.value })}
                onBlur={() => setNamed(draft.name)}
              />
            </FormPart>
            {named !== base?.name && <Alike type={type} name={named} id={base?.id} />}
            <FormPart field="description">
              <DescriptionField
                text={draft.description}
                error={faults.description}
                onChange={(description) => change({ description })}
              />
            </FormPart>
            <FormPart field="tags">
              <ChipsField
                label={fieldLabels.tags}
                noun={messages.tag}
                help={fieldHelpMessages.tags}
                error={faults.tags}
                values={draft.tags}
                onChange={(tags) => change({ tags })}
              />
            </FormPart>
            {!published && (
              <FormGroup title={fieldLabels.privacy}>
                {(["PUBLIC", "PRIVATE"] as const).map((value) => (
                  <Choice
                    key={value}
                    type="radio"
                    name="privacy"
                    {...messages.privacies[value]}
                    checked={draft.privacy === value}
                    onChange={() => change({ privacy: value })}
                  />
                ))}
              </FormGroup>
            )}
            <Field
              label={fieldLabels.headerImage}
              help={fieldHelpMessages.headerImage}
              error={faults.headerImage}
              value={draft.headerImage}
              spellCheck={false}
              onChange={(event) => change({ headerImage: event.target.value })}
            />
          </FormFold>
          <FormFold
            title={messages.credit}
            note={messages.creditNote}
            open={entry !== undefined || opens(creditFields)}
          >
            <ChipsField
              label={fieldLabels.authors}
              noun={messages.author}
              help={fieldHelpMessages.authors}
              error={faults.authors}
              values={draft.authors}
              fixed={entry ? undefined : email}
              inputMode="email"
              onChange={(authors) => change({ authors })}
            />
            {leaves && (
              <Note kind="info" role="status">
                {messages.leaves}
              </Note>
            )}
            <CreditFields {...texts} />
          </FormFold>
          <FormFold title={messages.funding} note={messages.fundingNote} open={opens(fundingFields)}>
            <FundingFields {...texts} />
          </FormFold>
        </div>
      </OffersContext>
    </Form>
  );
}
