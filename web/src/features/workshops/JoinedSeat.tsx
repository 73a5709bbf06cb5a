import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import { Button } from "@/ui/Button";
import { joinMessages as messages } from "./JoinPage.messages";
import { seatSessionQuery } from "./queries";
import type { Joined } from "./types";
import type { Joining } from "./useJoin";

/** An address that leads into a session may not do so later. Milliseconds. */
const fresh = 20_000;

/** What somebody has who has joined: a seat, how to come back to it, and the way in. */
export function JoinedSeat({ joined, joining }: { joined: Joined; joining: Joining }) {
  const { seat, seatCode, openUrl } = joined;
  const { goTo, enter, isPending, forget } = joining;
  const heading = useRef<HTMLHeadingElement>(null);
  const came = useRef(Date.now());
  // The form that had the focus is gone, and this is to be read.
  useEffect(() => heading.current?.focus(), []);
  useEffect(() => {
    if (openUrl) came.current = Date.now();
  }, [openUrl]);

  const open = () => {
    if (seatCode === undefined || Date.now() - came.current < fresh) {
      came.current = 0;
      goTo(openUrl);
    } else enter({ seat, seatCode }, true);
  };
  return (
    <section className={projectStyles.section} aria-labelledby="seat">
      <h2 id="seat" ref={heading} tabIndex={-1}>
        {messages.seatTitle}
      </h2>
      <div className="ws-seat">
        <strong>{messages.seatIs(seat)}</strong>
        {seatCode !== undefined && (
          <>
            <span>{messages.seatCodeIs}</span>
            <strong>{seatCode}</strong>
            <p>{messages.keepIt}</p>
          </>
        )}
      </div>
      <Progress joined={joined} />
      <div className={projectStyles.labels}>
        <Button variant="primary" busy={isPending} onClick={open}>
          {messages.openNotebook}
        </Button>
        {seatCode !== undefined && (
          <Button variant="quiet" title={messages.notMeHelp} onClick={forget}>
            {messages.notMe}
          </Button>
        )}
      </div>
    </section>
  );
}

/** How it is with the session: who waits sees their place. */
function Progress({ joined }: { joined: Joined }) {
  const { data = joined } = useQuery(seatSessionQuery(joined));
  const { status, queuePosition } = data;
  return (
    <p role="status">
      {status === "RUNNING"
        ? messages.ready
        : status === "ERROR"
          ? messages.sessionFailed
          : queuePosition !== undefined && queuePosition > 0
            ? messages.place(queuePosition)
            : messages.starting}
    </p>
  );
}
