import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { CitationText, Resource, Run } from "@/api/types";
import { useVersion } from "@/api/version";
import { kindOf } from "@/features/catalog/kinds";
import { CopyText } from "@/ui/CopyText";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Tabs } from "@/ui/Tabs";
import { citeDialogMessages as messages } from "./CiteDialog.messages";
import styles from "./CiteDialog.module.css";
import { citationQuery } from "./queries";
import { runCitationQuery } from "./runs/queries";

/** The citation of an entry in several formats, from its repository's citation file if there is one. */
export function CiteDialog({ resource, onClose }: { resource: Resource; onClose: () => void }) {
  const query = useQuery(citationQuery(resource.id, useVersion()));
  const note = query.data?.namesGuessed ? messages.guessed : messages.ofEntry(Boolean(resource.version));
  return (
    <Dialog title={messages.title(kindOf(resource.type).label)} onClose={onClose}>
      <Citation query={query} note={query.data?.item ? messages.asAsked : note} />
    </Dialog>
  );
}

/** The citation of a run by the catalog: of its crate. */
export function CiteRunDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const query = useQuery(runCitationQuery(run));
  return (
    <Dialog title={messages.runTitle} onClose={onClose}>
      <Citation query={query} note={query.data?.namesGuessed ? messages.ofRunGuessed : messages.ofRun} />
    </Dialog>
  );
}

/** The formats of a citation that the server wrote. */
function Citation({ query, note }: { query: UseQueryResult<{ texts: CitationText[] }>; note: string }) {
  const { data, error, refetch } = query;
  if (!data && error) {
    return <ErrorState title={messages.failure} message={messageOf(error)} onRetry={() => void refetch()} />;
  }
  if (!data) {
    return (
      <SkeletonPlace label={messages.loading} className={styles.waiting}>
        <Skeleton height="40px" />
        <Skeleton height="12rem" />
      </SkeletonPlace>
    );
  }
  return (
    <>
      <Tabs
        label={messages.formats}
        tabs={data.texts.map(({ format, text }) => ({
          name: format,
          content: <CopyText label={messages.copy(format)} text={text} />,
        }))}
      />
      <p className={styles.note}>{note}</p>
    </>
  );
}
