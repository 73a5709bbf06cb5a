import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { answer, api } from "@/api/client";
import { messageOf } from "@/api/problem";
import type { Session, VersionPage } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { fileSize } from "@/lib/measures";
import { BackLink } from "@/ui/BackLink";
import { Button, LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Icon } from "@/ui/Icon";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Pager } from "@/ui/list/Pager";
import { Note } from "@/ui/Note";
import { Page } from "@/ui/Page";
import { useNavigate, useParams, useSearchParams } from "@/ui/router";
import { FileView } from "./FileView";
import { nameOf, readPlace, type VersionsPlace, writePlace } from "./place";
import { pageSize, versionsQuery } from "./queries";
import { SaveDialog } from "./SaveDialog";
import { Timeline } from "./Timeline";
import { versionsMessages as messages } from "./Versions.messages";
import styles from "./Versions.module.css";
import { VersionView } from "./VersionView";

/** /sessions/:id/versions: what a session's work was like, and how to bring it back. */
export function VersionsPage() {
  const { id = "" } = useParams();
  const { state } = useAuth();
  const session = useQuery({
    queryKey: ["sessions", id],
    queryFn: ({ signal }): Promise<Session> =>
      answer(api.GET("/api/v1/rf/sessions/{id}", { params: { path: { id } }, signal })),
    enabled: state === "authenticated",
    retry: false,
  });
  if (session.data) return <Versions session={session.data} />;
  return (
    <Page title={messages.window}>
      {session.error ? (
        <ErrorState title={messages.failed} message={messageOf(session.error)}>
          <LinkButton to="/sessions">{messages.toSessions}</LinkButton>
        </ErrorState>
      ) : (
        <Skeletons />
      )}
    </Page>
  );
}

function Versions({ session }: { session: Session }) {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const place = readPlace(params);
  const [saving, setSaving] = useState(false);
  const list = useQuery(versionsQuery(session.id, place.file, place.page));
  const go = (next: Partial<VersionsPlace>) => navigate({ search: writePlace({ ...place, ...next }) });
  return (
    <Page
      title={messages.title(session.sessionName)}
      subtitle={messages.subtitle}
      above={<BackLink to="/sessions" />}
      actions={
        session.status !== "DELETED" && (
          <>
            <LinkButton to={`/sessions/${encodeURIComponent(session.id)}/publish`}>
              <Icon name="upload" /> {messages.publish}
            </LinkButton>
            <Button onClick={() => setSaving(true)}>
              <Icon name="plus" /> {messages.save}
            </Button>
          </>
        )
      }
    >
      {session.savingStopped && (
        <Note kind="error" role="status" title={messages.stopped}>
          {session.savingStopped}
        </Note>
      )}
      {list.data ? (
        <Loaded session={session} place={place} versions={list.data} busy={list.isPlaceholderData} onGo={go} />
      ) : list.error ? (
        <ErrorState title={messages.failed} message={messageOf(list.error)} onRetry={() => void list.refetch()} />
      ) : (
        <Skeletons />
      )}
      {saving && <SaveDialog id={session.id} onClose={() => setSaving(false)} />}
    </Page>
  );
}

interface LoadedProps {
  session: Session;
  place: VersionsPlace;
  versions: VersionPage;
  /** They are of another page or file until these are loaded. */
  busy: boolean;
  onGo: (place: Partial<VersionsPlace>) => void;
}

function Loaded({ session, place, versions, busy, onGo }: LoadedProps) {
  const top = useRef<HTMLDivElement>(null);
  const shown = versions.content.find(({ id }) => id === place.version) ?? versions.content[0];
  const { account, totalElements } = versions;
  if (!shown) {
    return place.file === "" ? (
      <Empty title={messages.none}>
        <p>{messages.noneWhy}</p>
      </Empty>
    ) : (
      <Empty
        title={messages.noneOfFile}
        action={<Button onClick={() => onGo({ file: "", version: "" })}>{messages.allVersions}</Button>}
      />
    );
  }
  return (
    <div className={styles.page}>
      <div ref={top} className={styles.side} tabIndex={-1} aria-busy={busy}>
        <p className={styles.quiet} role="status">
          {place.file === "" ? messages.total(totalElements) : messages.ofFile(nameOf(place.file))}
        </p>
        <Timeline versions={versions.content} shown={shown.id} place={place} />
        <Pager
          page={place.page}
          pages={Math.ceil(totalElements / pageSize)}
          onPage={(page) => onGo({ page, version: "" })}
          list={top}
        />
        <p className={styles.quiet}>
          {account.quotaBytes
            ? messages.usage(fileSize(account.storedBytes), fileSize(account.quotaBytes))
            : messages.usageOnly(fileSize(account.storedBytes))}
        </p>
      </div>
      <div className={styles.view}>
        {place.file === "" ? (
          <VersionView session={session} version={shown} place={place} />
        ) : (
          <FileView session={session} version={shown} place={place} />
        )}
      </div>
    </div>
  );
}

function Skeletons(): ReactNode {
  return (
    <SkeletonPlace label={messages.loading} className={styles.page}>
      <div className={styles.side}>
        {["a", "b", "c", "d", "e"].map((key) => (
          <Skeleton key={key} height="3.5em" />
        ))}
      </div>
      <div className={styles.view}>
        <Skeleton height="16em" />
      </div>
    </SkeletonPlace>
  );
}
