import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import dashboard from "@/features/sessions/DashboardPage.module.css";
import { sessionsKey } from "@/features/sessions/queries";
import { requestsQuery } from "@/features/sharing/queries";
import { ownRequest, stateOf } from "@/features/sharing/requestState";
import { ago } from "@/lib/format";
import { Button, LinkButton } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import rows from "@/ui/ListRow.module.css";
import { boardMessages as messages } from "./BoardPage.messages";
import { ConfirmDialog } from "./ConfirmDialog";
import { askToSee, freeSeat, lowerHand } from "./queries";
import { seatWords } from "./seatWords";
import type { Seat } from "./types";
import { useAct } from "./useAct";

interface SeatDialogProps {
  workshop: string;
  seat: Seat;
  of: number;
  names: boolean;
  now: number;
  onClose: () => void;
}

/** A seat, and what its hosts can do for whoever sits there. */
export function SeatDialog({ workshop, seat, of, names, now, onClose }: SeatDialogProps) {
  const { seat: number, name, handUp, sessionId, signedIn } = seat;
  const [freeing, setFreeing] = useState(false);
  const lower = useAct(() => lowerHand(workshop, number), { done: messages.lowered, failed: messages.notLowered });
  const free = useAct(() => freeSeat(workshop, number), { done: messages.freed, failed: messages.notFreed }, onClose);
  const { state, cell, error, hand, idle } = seatWords(seat, of, now);
  if (freeing) {
    return (
      <ConfirmDialog
        title={messages.freeTitle(number)}
        confirm={messages.free}
        danger
        busy={free.isPending}
        onConfirm={() => free.mutate()}
        onClose={onClose}
      >
        <p>{messages.freeMeans}</p>
      </ConfirmDialog>
    );
  }
  return (
    <Dialog title={messages.seatOf(number)} onClose={onClose}>
      <div className={dashboard.parts}>
        <div className={rows.what}>
          {names && (
            <p>
              <strong>
                <bdi>{name}</bdi>
              </strong>{" "}
              <span className={rows.note}>{signedIn ? messages.signedIn : messages.guest}</span>
            </p>
          )}
          {hand && <p>{hand}</p>}
          {error && <p>{error}</p>}
          <p>{[state, cell, idle].filter(Boolean).join(", ")}</p>
        </div>
        {handUp && (
          <div>
            <Button variant="primary" busy={lower.isPending} onClick={() => lower.mutate()}>
              {messages.lower}
            </Button>
          </div>
        )}
        {sessionId && <StepIn workshop={workshop} seat={number} session={sessionId} />}
        <div>
          <Button onClick={() => setFreeing(true)}>{messages.free}</Button>
        </div>
      </div>
    </Dialog>
  );
}

interface StepInProps {
  workshop: string;
  seat: number;
  /** Of the seat. */
  session: string;
}

/** Asks whoever sits there to let the host in, and leads in once they have. */
function StepIn({ workshop, seat, session }: StepInProps) {
  const queries = useQueryClient();
  const { data: requests } = useQuery(requestsQuery(session));
  const request = ownRequest(requests, "enter");
  const state = stateOf(request);
  const ask = useAct(
    (can: "see" | "edit") => askToSee(workshop, seat, can),
    { done: messages.asked, failed: messages.notAsked },
    () => void queries.invalidateQueries({ queryKey: sessionsKey }),
  );
  return (
    <section className={projectStyles.section} aria-labelledby="step-in">
      <h3 id="step-in">{messages.ask}</h3>
      <p role="status">
        {state === "granted"
          ? messages.letIn
          : state === "waiting"
            ? messages.askedWhen(ago(request?.createdAt ?? ""))
            : state === "refused"
              ? messages.refused
              : messages.askMeans}
      </p>
      <div className={projectStyles.labels}>
        {state === "granted" && (
          <LinkButton variant="primary" to={`/sessions/${encodeURIComponent(session)}/see`} newTab>
            {messages.see}
          </LinkButton>
        )}
        {state !== "waiting" && (
          <>
            <Button busy={ask.isPending && ask.variables === "see"} onClick={() => ask.mutate("see")}>
              {messages.askSee}
            </Button>
            <Button busy={ask.isPending && ask.variables === "edit"} onClick={() => ask.mutate("edit")}>
              {messages.askEdit}
            </Button>
          </>
        )}
      </div>
    </section>
  );
}
