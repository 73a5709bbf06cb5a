import { useQuery } from "@tanstack/react-query";
import type { ResourceType } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { Button, LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { SearchBox } from "@/ui/list/SearchBox";
import { Page } from "@/ui/Page";
import { kindPageMessages as messages } from "./KindPage.messages";
import { kindDescriptions } from "./kindDescriptions.messages";
import { kinds } from "./kinds";
import styles from "./list/ListPage.module.css";
import { kindQuery } from "./list/listQueries";
import { Results } from "./list/Results";
import { useFilters } from "./list/useFilters";

/** The list page of one type. */
export function KindPage({ type }: { type: ResourceType }) {
  const noun = kinds[type].plural.toLowerCase();
  const { shown, sent, change } = useFilters();
  const { state } = useAuth();
  const result = useQuery({ ...kindQuery(type, sent, state === "authenticated"), enabled: state !== "loading" });
  const text = sent.text.trim();

  return (
    <Page subtitle={kindDescriptions[type]}>
      <div className={styles.stack}>
        <SearchBox
          main
          label={messages.search(noun)}
          placeholder={messages.placeholder}
          text={shown.text}
          onSearch={(next) => change({ text: next })}
        />
        <Results
          filters={{ ...sent, types: [type], tags: [] }}
          result={result}
          failure={messages.failure(noun)}
          nothing={
            text === "" ? (
              <Empty title={messages.none(noun)} action={<LinkButton to="/add">{messages.add}</LinkButton>}>
                <p>{messages.noneDetail}</p>
              </Empty>
            ) : (
              <Empty
                title={messages.noMatch(text)}
                action={<Button onClick={() => change({ text: "" })}>{messages.all(noun)}</Button>}
              >
                <p>{messages.noMatchDetail}</p>
              </Empty>
            )
          }
          onChange={change}
        />
      </div>
    </Page>
  );
}
