import { useState } from "react";
import { Button } from "@/ui/Button";
import { Field, FieldFrame } from "@/ui/form/Field";
import { auditPageMessages as words } from "./AuditPage.messages";
import styles from "./AuditPage.module.css";
import { actionMessages } from "./actions.messages";
import { type AuditFilters, readAuditFilters, writeAuditFilters } from "./auditFilters";

interface AuditSearchProps {
  /** What the fields hold at first. */
  filters: AuditFilters;
  onSearch: (filters: AuditFilters) => void;
}

/** The fields that narrow the audit down. */
export function AuditSearch({ filters, onSearch }: AuditSearchProps) {
  const [open] = useState(() => writeAuditFilters(filters) !== "" || matchMedia("(min-width: 600px)").matches);
  const submit = (form: FormData) => {
    const typed = [...form].map(([name, value]): [string, string] => [name, String(value)]);
    onSearch(readAuditFilters(new URLSearchParams(typed)));
  };
  return (
    <search>
      {/* On a phone, the fields would fill the screen. */}
      <details className={styles.fold} open={open}>
        <summary>{words.filters}</summary>
        <form
          className={styles.fields}
          onSubmit={(event) => {
            event.preventDefault();
            submit(new FormData(event.currentTarget));
          }}
        >
          <Field
            label={words.actor}
            name="actor"
            defaultValue={filters.actor}
            placeholder={words.actorHint}
            maxLength={254}
          />
          <Field
            label={words.object}
            name="object"
            defaultValue={filters.object}
            placeholder={words.objectHint}
            maxLength={254}
          />
          <FieldFrame label={words.action}>
            {(control) => (
              <select {...control} name="action" defaultValue={filters.action}>
                <option value="">{words.anyAction}</option>
                {Object.keys(actionMessages).map((action) => (
                  <option key={action} value={action}>
                    {action}
                  </option>
                ))}
              </select>
            )}
          </FieldFrame>
          <Field label={words.from} name="from" type="date" defaultValue={filters.from} />
          <Field label={words.to} name="to" type="date" defaultValue={filters.to} />
          <Button type="submit" variant="primary">
            {words.search}
          </Button>
        </form>
      </details>
    </search>
  );
}
