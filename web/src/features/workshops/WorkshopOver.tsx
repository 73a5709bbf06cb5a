import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import { useAuth } from "@/features/identity/useAuth";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import { day } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { Note } from "@/ui/Note";
import { joinMessages as messages } from "./JoinPage.messages";
import { refusalOf } from "./joinRefusal";
import { forgetSeat, keepSeat, seatOf } from "./ownSeat";
import { workAddress } from "./queries";
import { SeatCodeForm } from "./SeatCodeForm";
import type { JoinInfo, OwnSeat } from "./types";
import { useGoTo } from "./useJoin";

/** A workshop that has ended: participants fetch their work. */
export function WorkshopOver({ joinKey, info }: { joinKey: string; info: JoinInfo }) {
  const { workUntil, mine } = info;
  const { state } = useAuth();
  const goTo = useGoTo();
  const [own, setOwn] = useState(() => seatOf(joinKey));
  const [blockedUntil, setBlockedUntil] = useState(0);
  const fetchWork = useMutation({
    mutationFn: (seat: OwnSeat | undefined) => workAddress(joinKey, seat),
    onSuccess: (address, seat) => {
      if (seat) {
        keepSeat(joinKey, seat);
        setOwn(seat);
      }
      goTo(address);
    },
    onError: (error, seat) => {
      const refusal = refusalOf(error);
      if (refusal.kind === "later") setBlockedUntil(Date.now() + 1000 * refusal.seconds);
      if (refusal.kind === "code" && seat && seat.seatCode === own?.seatCode) {
        forgetSeat(joinKey);
        setOwn(undefined);
      }
    },
  });
  const signedIn = state === "authenticated" && mine !== undefined;
  // What people have with an account stays theirs.
  const over = !signedIn && Date.now() >= new Date(workUntil).getTime();
  const seat = signedIn ? mine.seat : own?.seat;
  const gone = refusalOf(fetchWork.error).kind === "gone";
  return (
    <section className={projectStyles.section} aria-labelledby="over">
      <h2 id="over">{messages.ended}</h2>
      {!signedIn && <p>{over ? messages.workOver(day(workUntil)) : messages.workUntil(day(workUntil))}</p>}
      {!over && seat !== undefined && (
        <>
          <p>{messages.workOf(seat)}</p>
          <div className={projectStyles.labels}>
            <Button
              variant="primary"
              busy={fetchWork.isPending}
              onClick={() => fetchWork.mutate(signedIn ? undefined : own)}
            >
              <Icon name="download" />
              {messages.work}
            </Button>
            {!signedIn && (
              <Button
                variant="quiet"
                title={messages.notMeHelp}
                onClick={() => {
                  forgetSeat(joinKey);
                  setOwn(undefined);
                  fetchWork.reset();
                }}
              >
                {messages.notMe}
              </Button>
            )}
          </div>
          {fetchWork.error && (
            <Note kind="error" role="alert">
              {gone ? messages.workGone : `${messages.workFailed} ${messageOf(fetchWork.error)}`}
            </Note>
          )}
        </>
      )}
      {!over && seat === undefined && (
        <SeatCodeForm
          open
          submit={messages.work}
          busy={fetchWork.isPending}
          error={fetchWork.error}
          blockedUntil={blockedUntil}
          onSeat={(wanted) => fetchWork.mutate(wanted)}
        />
      )}
    </section>
  );
}
