import { useQuery } from "@tanstack/react-query";
import { useConfig } from "@/api/config";
import { hasCode, isNotFound, messageOf } from "@/api/problem";
import type { Session } from "@/api/types";
import { BackLink } from "@/ui/BackLink";
import { Button, LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { NothingHere } from "@/ui/NothingHere";
import { Page } from "@/ui/Page";
import { useParams } from "@/ui/router";
import { PublishingStyles } from "./PublishingStyles";
import { publishPageMessages as messages } from "./PublishPage.messages";
import { PublishSteps } from "./PublishSteps";
import { contentsQuery, sessionQuery } from "./queries";

/** /sessions/:id/publish: files of a session become an entry, or a new version of one. */
export function PublishPage() {
  const { id = "" } = useParams();
  const { data: session, error, isFetching, refetch } = useQuery(sessionQuery(id));
  if (isNotFound(error)) return <NothingHere title={messages.window} why={messages.absent} signedOut={false} />;
  return (
    <Page
      title={session ? messages.title(session.sessionName) : messages.window}
      subtitle={messages.subtitle}
      above={<BackLink to="/sessions" />}
      width="narrow"
    >
      <PublishingStyles />
      {session ? (
        <Contents key={id} session={session} />
      ) : error ? (
        <ErrorState
          title={messages.sessionFailed}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      ) : (
        <Reading />
      )}
    </Page>
  );
}

function Contents({ session: { id, job, engine } }: { session: Session }) {
  const kind = useConfig().sessions.kinds.find(({ name }) => name === engine);
  const kept = kind?.can.includes("versions") !== false;
  const { data, error, isFetching, refetch } = useQuery({ ...contentsQuery(id), enabled: kept && job === undefined });
  const look = () => void refetch();
  if (job !== undefined) {
    return (
      <Empty title={messages.ofJob} action={<LinkButton to={`/jobs/${job}`}>{messages.toJob}</LinkButton>}>
        <p>{messages.ofJobWhy}</p>
      </Empty>
    );
  }
  if (data) {
    return <PublishSteps session={id} contents={data} looking={isFetching} lookError={error} onLook={look} />;
  }
  if (!kept || isNotFound(error)) {
    return (
      <Empty title={messages.notKept} action={<LinkButton to="/add/upload">{messages.toUpload}</LinkButton>}>
        <p>{messages.notKeptWhy}</p>
      </Empty>
    );
  }
  const nothing = hasCode(error, "conflict") ? messages.nothing : hasCode(error, "invalid") ? messages.none : undefined;
  if (nothing !== undefined) {
    return (
      <Empty
        title={nothing}
        action={
          <Button busy={isFetching} onClick={look}>
            {messages.look}
          </Button>
        }
      >
        <p>{messages.nothingWhy}</p>
      </Empty>
    );
  }
  if (error) {
    return (
      <ErrorState title={messages.failed} message={messageOf(error)} retrying={isFetching} onRetry={look}>
        <LinkButton to="/sessions">{messages.toSessions}</LinkButton>
      </ErrorState>
    );
  }
  return <Reading />;
}

function Reading() {
  return (
    <SkeletonPlace label={messages.reading} className="up-part">
      {["a", "b", "c", "d", "e", "f"].map((key) => (
        <Skeleton key={key} height="2em" />
      ))}
    </SkeletonPlace>
  );
}
