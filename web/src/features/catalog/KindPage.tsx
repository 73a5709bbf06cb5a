import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { ResourceType } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { count } from "@/lib/format";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Page } from "@/ui/Page";
import { SearchBox } from "@/ui/SearchBox";
import { kinds } from "./kinds";
import styles from "./ListPage.module.css";
import { kindQuery } from "./queries";
import { ResourceGrid, ResourceGridSkeleton } from "./ResourceGrid";
import { Total } from "./Total";

/** The list page of one type. */
export function KindPage({ type }: { type: ResourceType }) {
  const { plural, description } = kinds[type];
  const [text, setText] = useState("");
  const { state } = useAuth();
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...kindQuery(type, text),
    enabled: state !== "loading",
  });

  return (
    <Page title={plural} subtitle={description}>
      <div className={styles.stack}>
        <SearchBox
          label={`Search ${plural.toLowerCase()}`}
          placeholder={`Search ${plural.toLowerCase()}`}
          text={text}
          onSearch={setText}
        />
        {error && (
          <ErrorState
            title={`The ${plural.toLowerCase()} could not be read.`}
            message={messageOf(error)}
            onRetry={() => refetch()}
          />
        )}
        {!error && !data && <ResourceGridSkeleton />}
        {!error && data && data.totalElements === 0 && !isPlaceholderData && (
          <Empty title={text === "" ? `There are no ${plural.toLowerCase()} yet.` : `Nothing matches “${text}”.`} />
        )}
        {!error && data && data.totalElements > 0 && (
          <>
            <Total>
              {count(data.totalElements, "entry", "entries")}
              {data.totalElements > data.content.length && `, the first ${data.content.length} are shown`}
            </Total>
            <ResourceGrid resources={data.content} stale={isPlaceholderData} />
          </>
        )}
      </div>
    </Page>
  );
}
