import { isNotFound, messageOf } from "@/api/problem";
import { isId } from "@/lib/ids";
import { BackLink } from "@/ui/BackLink";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { NothingHere } from "@/ui/NothingHere";
import { Page } from "@/ui/Page";
import { useLocation } from "@/ui/router";
import { JobForm } from "./JobForm";
import { newJobMessages as messages } from "./NewJobPage.messages";
import { readSource, type Source } from "./source";
import { titleOf, useSource } from "./useSource";

/** /jobs/new: with which values a notebook is run, and when. The address says which notebook. */
export function NewJobPage() {
  const source = readSource(new URLSearchParams(useLocation().search));
  if (!source || (source.of !== "session" && !isId(source.id))) return <Absent />;
  return <Loaded source={source} />;
}

function Loaded({ source }: { source: Source }) {
  const { origin, error, retrying, retry } = useSource(source);
  if (isNotFound(error)) return <Absent />;
  return (
    <Page
      title={origin ? messages.title(titleOf(source, origin)) : messages.window}
      subtitle={origin && messages.subtitle}
      above={<BackLink to={origin?.page ?? "/jobs"} />}
      width="narrow"
    >
      {origin ? (
        <JobForm key={`${source.of} ${source.id}`} source={source} origin={origin} />
      ) : error ? (
        <ErrorState title={messages.failure} message={messageOf(error)} retrying={retrying} onRetry={retry} />
      ) : (
        <SkeletonPlace label={messages.loading}>
          <Skeleton height="16rem" />
        </SkeletonPlace>
      )}
    </Page>
  );
}

function Absent() {
  return <NothingHere title={messages.absent} why={messages.absentWhy} signedOut={false} />;
}
