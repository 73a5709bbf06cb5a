import type { FormEvent } from "react";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import box from "@/ui/list/SearchBox.module.css";
import { searchFormMessages as words } from "./SearchForm.messages";
import styles from "./SearchForm.module.css";

interface SearchFormProps {
  label: string;
  placeholder: string;
  onSearch: (text: string) => void;
}

/** A search that leads to another page on submit, unlike SearchBox, which searches while typing. */
export function SearchForm({ label, placeholder, onSearch }: SearchFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSearch(String(new FormData(event.currentTarget).get("text")).trim());
  };
  return (
    <search>
      <form className={styles.form} onSubmit={submit}>
        <div className={box.box}>
          <Icon name="search" size={20} />
          <input
            type="search"
            name="text"
            className={box.input}
            aria-label={label}
            placeholder={placeholder}
            autoComplete="off"
            spellCheck={false}
            enterKeyHint="search"
          />
        </div>
        <Button type="submit" variant="primary">
          {words.search}
        </Button>
      </form>
    </search>
  );
}
