import { lazy, Suspense, useState } from "react";
import { FieldFrame } from "@/ui/form/Field";
import { entryVersionsMessages as messages } from "./EntryVersions.messages";
import type { EntryVersionRow } from "./shapes";

const VersionChanges = lazy(async () => ({ default: (await import("./VersionChanges")).VersionChanges }));

interface CompareVersionsProps {
  id: string;
  /** Newest first; two at least. */
  versions: readonly EntryVersionRow[];
}

/** What changed between any two versions of an entry. */
export function CompareVersions({ id, versions }: CompareVersionsProps) {
  const numbers = versions.map(({ versionNumber }) => versionNumber);
  const [open, setOpen] = useState(false);
  const [from, setFrom] = useState(numbers.at(-1) ?? 1);
  const [to, setTo] = useState(numbers[0] ?? 1);
  const choice = (label: string, value: number, onChange: (n: number) => void) => (
    <FieldFrame label={label}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => onChange(Number(event.target.value))}>
          {numbers.map((n) => (
            <option key={n} value={n}>
              {messages.version(n)}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
  return (
    <details className="up-more" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{messages.compare}</summary>
      {open && (
        <div className="up-part">
          <div className="up-compare">
            {choice(messages.from, from, setFrom)}
            {choice(messages.to, to, setTo)}
          </div>
          {from === to ? (
            <p role="status">{messages.sameVersion}</p>
          ) : (
            <Suspense>
              <VersionChanges key={`${from} ${to}`} id={id} from={from} to={to} />
            </Suspense>
          )}
        </div>
      )}
    </details>
  );
}
