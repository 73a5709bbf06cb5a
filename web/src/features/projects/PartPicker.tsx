import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from "react";
import { messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { pickerDebounce } from "@/lib/constants";
import { Button } from "@/ui/Button";
import { FieldFrame } from "@/ui/form/Field";
import { Icon } from "@/ui/Icon";
import { Skeleton } from "@/ui/Loading";
import { useFocusAtFirst } from "@/ui/useFocusAtFirst";
import { PartOption } from "./PartOption";
import { partPickerMessages as messages } from "./PartPicker.messages";
import styles from "./PartPicker.module.css";
import { type PartGroup, type PartType, partsQuery } from "./partQueries";

interface PartPickerProps {
  type: PartType;
  label: string;
  help?: string;
  error?: string | undefined;
  /** The ids of the chosen entries, if several can be chosen; clicking one of them removes it. */
  chosen?: string[];
  /** It takes the focus when it appears. */
  focused?: boolean;
  onPick: (part: Resource) => void;
}

/**
 * Searches entries as you type, and lets you pick one by click, or with the arrow keys and Enter. The search is debounced;
 * Enter and the button search at once.
 */
export function PartPicker({ type, label, help, error, chosen, focused = false, onPick }: PartPickerProps) {
  const { user } = useAuth();
  const [typed, setTyped] = useState("");
  const [asked, setAsked] = useState("");
  const [active, setActive] = useState<string>();
  const list = useId();
  const field = useFocusAtFirst<HTMLInputElement>(focused);
  const result = useQuery(partsQuery(type, asked, user?.email ?? ""));
  const groups = result.data ?? [];
  const parts = groups.flatMap((group) => group.parts);

  useEffect(() => {
    const timer = window.setTimeout(() => setAsked(typed.trim()), pickerDebounce);
    return () => window.clearTimeout(timer);
  }, [typed]);

  const search = () => {
    setActive(undefined);
    if (typed.trim() === asked) void result.refetch();
    else setAsked(typed.trim());
  };
  // Suggestions aren't announced, and show placeholders while they load.
  const untold = asked === "" && !result.error && (result.isPending || parts.length > 0);
  const option = (id: string) => `${list}-${id}`;
  const activate = (part: Resource | undefined) => {
    setActive(part?.id);
    if (part) document.getElementById(option(part.id))?.scrollIntoView({ block: "nearest" });
  };
  const keys = (event: KeyboardEvent) => {
    const at = parts.findIndex(({ id }) => id === active);
    // During input composition these keys belong to the composition.
    if (event.nativeEvent.isComposing) return;
    switch (event.key) {
      case "ArrowDown":
        activate(parts[(at + 1) % parts.length]);
        break;
      case "ArrowUp":
        activate(parts.at(at < 0 ? -1 : at - 1));
        break;
      case "Escape":
        activate(undefined);
        break;
      case "Enter": {
        const part = parts[at];
        if (part) onPick(part);
        else search();
        break;
      }
      default:
        return;
    }
    event.preventDefault();
  };

  return (
    <div className={styles.picker}>
      <FieldFrame label={label} help={help} error={error}>
        {(control) => (
          <div className={styles.row}>
            <input
              {...control}
              ref={field}
              type="search"
              role="combobox"
              aria-expanded={parts.length > 0}
              aria-controls={list}
              aria-autocomplete="list"
              {...(parts.some(({ id }) => id === active) && { "aria-activedescendant": option(active ?? "") })}
              value={typed}
              placeholder={messages.placeholder}
              autoComplete="off"
              spellCheck={false}
              enterKeyHint="search"
              onChange={(event) => {
                setTyped(event.target.value);
                setActive(undefined);
              }}
              onKeyDown={keys}
            />
            <Button aria-label={messages.search(type)} onClick={search}>
              <Icon name="search" />
            </Button>
          </div>
        )}
      </FieldFrame>
      <p role="status" className={untold ? "visually-hidden" : styles.status}>
        {stateOf(result.isPending || (result.isFetching && !result.data), asked, parts.length, type)}
        {result.error && messages.failed(messageOf(result.error))}
      </p>
      {result.isPending && (
        <div className={styles.list} aria-hidden="true">
          {["first", "second", "third", "fourth", "fifth"].map((each) => (
            <div key={each} className={styles.coming}>
              <Skeleton width="40%" height="18px" />
              <Skeleton width="75%" height="14px" />
            </div>
          ))}
        </div>
      )}
      <div
        role="listbox"
        id={list}
        className={styles.list}
        aria-label={label}
        aria-multiselectable={chosen !== undefined}
        hidden={parts.length === 0}
      >
        {groups.map((group) => (
          <Group key={group.title ?? "found"} group={group}>
            {(part) => (
              <PartOption
                key={part.id}
                id={option(part.id)}
                part={part}
                active={part.id === active}
                chosen={chosen?.includes(part.id) ?? false}
                onPick={() => onPick(part)}
              />
            )}
          </Group>
        ))}
      </div>
    </div>
  );
}

function Group({ group, children }: { group: PartGroup; children: (part: Resource) => ReactNode }) {
  const heading = useId();
  if (group.title === undefined) return group.parts.map(children);
  return (
    // biome-ignore lint/a11y/useSemanticElements: options of a list box belong in a group, not in a fieldset.
    <div role="group" aria-labelledby={heading}>
      <p id={heading} className={styles.title}>
        {group.title}
      </p>
      {group.parts.map(children)}
    </div>
  );
}

function stateOf(searching: boolean, asked: string, found: number, type: PartType): string {
  if (searching) return messages.searching;
  if (found === 0) return messages.none(type);
  return asked === "" ? "" : messages.found(found, type);
}
