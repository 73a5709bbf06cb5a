import { useQuery } from "@tanstack/react-query";
import type { ResourceType } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { Empty } from "@/ui/Empty";
import { Page } from "@/ui/Page";
import { SearchBox } from "@/ui/SearchBox";
import { kinds } from "./kinds";
import styles from "./ListPage.module.css";
import { kindQuery } from "./listQueries";
import { Results } from "./Results";
import { useFilters } from "./useFilters";

/** The list page of one type. */
export function KindPage({ type }: { type: ResourceType }) {
  const { plural, description } = kinds[type];
  const noun = plural.toLowerCase();
  const { shown, sent, change } = useFilters();
  const { state } = useAuth();
  const result = useQuery({ ...kindQuery(type, sent, state === "authenticated"), enabled: state !== "loading" });
  const text = sent.text.trim();

  return (
    <Page title={plural} subtitle={description}>
      <div className={styles.stack}>
        <SearchBox
          label={`Search ${noun}`}
          placeholder={`Search ${noun}`}
          text={shown.text}
          onSearch={(next) => change({ text: next })}
        />
        <Results
          filters={{ ...sent, types: [type], tags: [] }}
          result={result}
          failure={`The ${noun} could not be read.`}
          nothing={<Empty title={text === "" ? `There are no ${noun} yet.` : `Nothing matches “${text}”.`} />}
          onChange={change}
        />
      </div>
    </Page>
  );
}
