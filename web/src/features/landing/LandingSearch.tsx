import { searchParameter } from "@/lib/constants";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { Link, useNavigate } from "@/ui/router";
import { landingSearchMessages as messages } from "./LandingSearch.messages";
import styles from "./LandingSearch.module.css";

const found = (text: string) => `/resources?${new URLSearchParams({ [searchParameter]: text })}`;

/** A search of the catalog, and some examples of one. The form also works without script. */
export function LandingSearch() {
  const navigate = useNavigate();
  return (
    <div className={styles.search}>
      <search>
        <form
          className={styles.form}
          action="/resources"
          onSubmit={(event) => {
            event.preventDefault();
            const text = new FormData(event.currentTarget).get(searchParameter);
            navigate(typeof text === "string" && text.trim() !== "" ? found(text.trim()) : "/resources");
          }}
        >
          <Icon name="search" size={20} />
          <input
            type="search"
            name={searchParameter}
            aria-label={messages.label}
            placeholder={messages.placeholder}
            autoComplete="off"
            spellCheck={false}
            enterKeyHint="search"
          />
          <Button type="submit" variant="primary">
            {messages.search}
          </Button>
        </form>
      </search>
      <p className={styles.examples}>
        {messages.try}
        {messages.examples.map((text) => (
          <Link key={text} to={found(text)}>
            {text}
          </Link>
        ))}
      </p>
    </div>
  );
}
