import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { searchDebounce, searchParameter } from "@/lib/constants";
import { Icon } from "@/ui/Icon";
import styles from "./SearchBox.module.css";
import { comesToSearch, isShortcut, searchKey, useShortcuts } from "./shortcuts";

interface SearchBoxProps {
  label: string;
  placeholder: string;
  /** The text of the current search. */
  text: string;
  /** Receives the text after a pause in typing, or immediately on Enter. */
  onSearch: (text: string) => void;
  /** Whether it is the page's main search box, which the key "/" focuses. */
  main?: boolean;
}

/** A search field. A text that changes elsewhere, for example by Back, replaces the input. */
export function SearchBox({ label, placeholder, text, onSearch, main = false }: SearchBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  const listens = useShortcuts().on && main;
  const [typed, setTyped] = useState(text);
  const [former, setFormer] = useState(text);
  const [searched, setSearched] = useState(text);
  if (former !== text) {
    setFormer(text);
    setSearched(text);
    // The text of an earlier search from this box may come back after more was typed.
    if (text !== searched) setTyped(text);
  }

  const search = () => {
    setSearched(typed);
    onSearch(typed);
  };
  const rested = useEffectEvent(search);
  useEffect(() => {
    if (typed === text) return;
    const timer = window.setTimeout(rested, searchDebounce);
    return () => window.clearTimeout(timer);
  }, [typed, text]);

  useEffect(() => {
    if (main && comesToSearch()) input.current?.focus();
  }, [main]);

  // Before the box is seen: a key pressed at once would be lost otherwise.
  useLayoutEffect(() => {
    if (!listens) return;
    const press = (event: KeyboardEvent) => {
      if (!isShortcut(event, searchKey)) return;
      event.preventDefault();
      input.current?.select();
      input.current?.focus();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [listens]);

  return (
    <search>
      <form
        className={styles.box}
        onSubmit={(event) => {
          event.preventDefault();
          search();
        }}
      >
        <Icon name="search" size={20} />
        <input
          ref={input}
          type="search"
          {...(main && { name: searchParameter })}
          className={styles.input}
          aria-label={label}
          placeholder={placeholder}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="search"
          {...(listens && { "aria-keyshortcuts": searchKey })}
        />
        {listens && typed === "" && (
          <span className={styles.key} aria-hidden="true">
            {searchKey}
          </span>
        )}
      </form>
    </search>
  );
}
