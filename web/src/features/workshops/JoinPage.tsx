import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useConfig } from "@/api/config";
import { isNotFound, messageOf } from "@/api/problem";
import { useAuth } from "@/features/identity/useAuth";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import dashboard from "@/features/sessions/DashboardPage.module.css";
import { Button, LinkButton } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Filled } from "@/ui/Filled";
import rows from "@/ui/ListRow.module.css";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Note } from "@/ui/Note";
import { NothingHere } from "@/ui/NothingHere";
import { Page } from "@/ui/Page";
import { Link, useLocation, useParams } from "@/ui/router";
import { countdown } from "./countdown";
import { HostPart } from "./HostPart";
import { JoinedSeat } from "./JoinedSeat";
import { JoinForm } from "./JoinForm";
import { joinMessages as messages } from "./JoinPage.messages";
import { entryPath } from "./paths";
import { joinQuery } from "./queries";
import { SeatCodeForm } from "./SeatCodeForm";
import type { JoinInfo } from "./types";
import { type Joining, useJoin } from "./useJoin";
import { useSeconds } from "./useSeconds";
import { When } from "./When";
import { WorkshopOver } from "./WorkshopOver";
import { WorkshopStyles } from "./WorkshopStyles";
import { momentIn } from "./zoned";

/** /join/:key: where participants take their seats. app/keepLink.ts has taken the code out of the address. */
export function JoinPage() {
  const { key = "" } = useParams();
  const { hash } = useLocation();
  // Somebody put another link into the address of this page, whose code is taken out of it when the page begins.
  useEffect(() => {
    if (hash !== "") location.reload();
  }, [hash]);
  const { state, user } = useAuth();
  const { data, error, isFetching, refetch } = useQuery({
    ...joinQuery(key, user?.subject ?? ""),
    enabled: state !== "loading",
  });
  if (isNotFound(error)) return <NothingHere title={messages.absent} why={messages.absentWhy} signedOut={false} />;
  if (data) return <Found key={key} joinKey={key} info={data} />;
  return (
    <Page width="narrow">
      {error ? (
        <ErrorState
          title={messages.failed}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      ) : (
        <SkeletonPlace label={messages.loading}>
          <Skeleton height="20rem" />
        </SkeletonPlace>
      )}
    </Page>
  );
}

function Found({ joinKey, info }: { joinKey: string; info: JoinInfo }) {
  const { product } = useConfig();
  const joining = useJoin(joinKey);
  const { name, entry } = info;
  return (
    <Page
      title={name}
      heading={<bdi>{name}</bdi>}
      subtitle={messages.subtitle}
      width="narrow"
      above={<p className={rows.note}>{messages.runBy(product)}</p>}
    >
      <WorkshopStyles />
      <div className={dashboard.parts}>
        <div className={projectStyles.section}>
          <p>
            <When {...info} />
          </p>
          {entry && (
            <p>
              <Filled
                text={messages.runs("{entry}")}
                values={{
                  entry: (
                    <Link to={entryPath(entry)}>
                      <bdi>{entry.name}</bdi>
                    </Link>
                  ),
                }}
              />
            </p>
          )}
        </div>
        <Ways joinKey={joinKey} info={info} joining={joining} />
        <Operators />
      </div>
    </Page>
  );
}

interface WaysProps {
  joinKey: string;
  info: JoinInfo;
  joining: Joining;
}

/** What a participant can do now. */
function Ways({ joinKey, info, joining }: WaysProps) {
  const { state: signed } = useAuth();
  const { state, open, full, guests, mine } = info;
  const { joined, own, seatGone, enter, error, asked, isPending, blockedUntil } = joining;
  if (state === "ENDED") return <WorkshopOver joinKey={joinKey} info={info} />;
  if (!open) return <NotOpenYet info={info} />;
  if (joined) return <JoinedSeat joined={joined} joining={joining} />;
  if (mine?.sessionId && signed === "authenticated") {
    return (
      <HostPart title={messages.yours(mine.seat)}>
        <div>
          <LinkButton variant="primary" to={`/sessions/${encodeURIComponent(mine.sessionId)}/open`}>
            {messages.openNotebook}
          </LinkButton>
        </div>
      </HostPart>
    );
  }
  if (own) return <BackToSeat joining={joining} seat={own} />;
  return (
    <>
      {seatGone && (
        <Note kind="error" role="alert">
          {messages.seatGone}
        </Note>
      )}
      {full ? (
        <HostPart title={messages.full}>
          <p role="status">{messages.fullMeans}</p>
        </HostPart>
      ) : (
        <JoinForm joinKey={joinKey} guests={guests} joining={joining} />
      )}
      {guests && (
        <SeatCodeForm
          open={false}
          submit={messages.goBack}
          busy={isPending}
          error={asked && "seatCode" in asked && !seatGone ? error : undefined}
          blockedUntil={blockedUntil}
          onSeat={(seat) => enter(seat)}
        />
      )}
    </>
  );
}

/** This browser knows a seat: one press leads back to it. */
function BackToSeat({ joining, seat }: { joining: Joining; seat: NonNullable<Joining["own"]> }) {
  const { enter, isPending, forget, error } = joining;
  return (
    <HostPart title={messages.yours(seat.seat)}>
      <div className={projectStyles.labels}>
        <Button variant="primary" busy={isPending} onClick={() => enter(seat, true)}>
          {messages.backIn}
        </Button>
        <Button variant="quiet" onClick={forget}>
          {messages.notMe}
        </Button>
      </div>
      <p className={rows.note}>{messages.notMeHelp}</p>
      {error && (
        <Note kind="error" role="alert">
          {messageOf(error)}
        </Note>
      )}
    </HostPart>
  );
}

function NotOpenYet({ info: { opensAt, timezone } }: { info: JoinInfo }) {
  const left = new Date(opensAt).getTime() - useSeconds(true);
  return (
    <HostPart title={messages.opens}>
      <p>
        <time dateTime={opensAt}>{messages.opensAt(momentIn(opensAt, timezone))}</time>
      </p>
      {/* A timer isn't read out each second. */}
      <p className="ws-countdown" role="timer">
        {left > 0 ? messages.countdown(countdown(left)) : messages.opensSoon}
      </p>
      <p className={rows.note}>{messages.stay}</p>
    </HostPart>
  );
}

/** Who runs the catalog. */
function Operators() {
  const { contact } = useConfig().accounts;
  return contact ? (
    <p className={rows.note}>
      <bdi>{messages.contact(contact)}</bdi>
    </p>
  ) : null;
}
