import type { FocusEvent } from "react";
import { relationWords, roleWords } from "@/features/catalog/cited.messages";
import { Field, FieldFrame } from "@/ui/form/Field";
import { citedFieldsMessages as messages } from "./CitedFields.messages";
import { type CitedField, type EntryDraft, fieldLabels } from "./entryDraft";
import { FormPart } from "./FormPart";
import { fieldHelpMessages } from "./fieldHelp.messages";
import { Rows } from "./Rows";

interface CitedFieldsProps {
  draft: EntryDraft;
  faults: Partial<Record<string, string>>;
  onChange: (part: Partial<EntryDraft>) => void;
  /** Somebody has left one of the texts. */
  onLeave: (event: FocusEvent) => void;
}

const identifierTypes = ["DOI", "URL", "arXiv", "Handle", "ISBN", "ISSN", "PMID", "RRID", "SWHID", "URN"];

/** Licenses that people choose for data and code. Any other of SPDX may be typed. */
const usualLicenses = [
  ...["CC-BY-4.0", "CC0-1.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "ODbL-1.0", "MIT", "Apache-2.0", "BSD-3-Clause"],
  ...["GPL-3.0-or-later", "LGPL-3.0-or-later", "AGPL-3.0-or-later", "MPL-2.0"],
];

/** A text that citations have. */
export function TextPart({ field, draft, faults, onChange, onLeave }: CitedFieldsProps & { field: CitedField }) {
  return (
    <FormPart field={field}>
      <Field
        label={fieldLabels[field]}
        help={fieldHelpMessages[field]}
        error={faults[field]}
        value={draft[field]}
        spellCheck={false}
        {...(field === "license" && { list: "usual-licenses" })}
        onChange={(event) => onChange({ [field]: event.target.value })}
        onBlur={onLeave}
      />
    </FormPart>
  );
}

/** Who is credited for an entry, and what citations say besides. All of it is optional. */
export function CreditFields(props: CitedFieldsProps) {
  const { draft, faults, onChange } = props;
  return (
    <>
      <FormPart field="people">
        <Rows
          title={fieldLabels.people}
          help={messages.peopleHelp}
          error={faults.people}
          words={messages.people}
          up={messages.up}
          rows={draft.people}
          empty={{ name: "", orcid: "" }}
          onChange={(people) => onChange({ people })}
        >
          {(person, change, index) => {
            const { name: affiliation = "", ror = "" } = person.affiliation ?? {};
            const fault = faultsOf(faults, `people[${index}]`);
            const text = textField(person, change, fault);
            return (
              <>
                {text("name", person.email ? messages.nameOf(person.email) : messages.name)}
                <div data-field="orcid">{text("orcid", messages.orcid)}</div>
                <Select
                  label={messages.role}
                  error={fault("role")}
                  value={person.role ?? ""}
                  options={Object.entries(roleWords)}
                  onChange={(role) => change({ role })}
                />
                <Field
                  label={messages.affiliation}
                  error={fault("affiliation.name")}
                  value={affiliation}
                  onChange={(event) => change({ affiliation: { name: event.target.value, ror } })}
                />
                <Field
                  label={messages.ror}
                  error={fault("affiliation.ror")}
                  value={ror}
                  spellCheck={false}
                  onChange={(event) => change({ affiliation: { name: affiliation, ror: event.target.value } })}
                />
              </>
            );
          }}
        </Rows>
      </FormPart>
      {(["license", "version", "language"] as const).map((field) => (
        <TextPart key={field} field={field} {...props} />
      ))}
      <datalist id="usual-licenses">
        {usualLicenses.map((license) => (
          <option key={license} value={license} />
        ))}
      </datalist>
    </>
  );
}

/** What paid for an entry, and what it is related to. All of it is optional. */
export function FundingFields({ draft, faults, onChange }: CitedFieldsProps) {
  return (
    <>
      <FormPart field="funding">
        <Rows
          title={fieldLabels.funding}
          error={faults.funding}
          words={messages.funding}
          rows={draft.funding}
          empty={{ funder: "" }}
          onChange={(funding) => onChange({ funding })}
        >
          {(award, change, index) => {
            const text = textField(award, change, faultsOf(faults, `funding[${index}]`));
            return (["funder", "funderId", "awardNumber", "awardTitle", "awardUrl"] as const).map((name) =>
              text(name, messages[name]),
            );
          }}
        </Rows>
      </FormPart>
      <FormPart field="relatedIdentifiers">
        <Rows
          title={fieldLabels.relatedIdentifiers}
          error={faults.relatedIdentifiers}
          words={messages.related}
          rows={draft.relatedIdentifiers}
          empty={{ identifier: "", type: "DOI", relation: "IsSupplementTo" }}
          onChange={(relatedIdentifiers) => onChange({ relatedIdentifiers })}
        >
          {(related, change, index) => {
            const fault = faultsOf(faults, `relatedIdentifiers[${index}]`);
            return (
              <>
                <Select
                  label={messages.relation}
                  error={fault("relation")}
                  value={related.relation}
                  options={Object.entries(relationWords)}
                  onChange={(relation) => change({ relation })}
                />
                <Select
                  label={messages.type}
                  error={fault("type")}
                  value={related.type}
                  options={identifierTypes.map((type) => [type, type])}
                  onChange={(type) => change({ type })}
                />
                {textField(related, change, fault)("identifier", messages.identifier)}
              </>
            );
          }}
        </Rows>
      </FormPart>
    </>
  );
}

const faultsOf = (faults: CitedFieldsProps["faults"], row: string) => (field: string) => faults[`${row}.${field}`];

/** Draws a text field of a row. */
function textField<Row>(row: Row, change: (part: Partial<Row>) => void, fault: (field: string) => string | undefined) {
  return <Name extends keyof Row & string>(name: Name, label: string) => (
    <Field
      key={name}
      label={label}
      error={fault(name)}
      value={(row[name] as string | undefined) ?? ""}
      spellCheck={false}
      onChange={(event) => change({ [name]: event.target.value } as unknown as Partial<Row>)}
    />
  );
}

interface SelectProps {
  label: string;
  error: string | undefined;
  value: string;
  options: [value: string, label: string][];
  onChange: (value: string) => void;
}

function Select({ label, error, value, options, onChange }: SelectProps) {
  return (
    <FieldFrame label={label} error={error}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => onChange(event.target.value)}>
          {options.map(([each, name]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}
