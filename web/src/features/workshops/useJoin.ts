import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConfig } from "@/api/config";
import { redirectTarget } from "@/features/sessions/redirectTarget";
import { toast } from "@/ui/toast";
import { forgetCode } from "./code";
import { joinMessages as messages } from "./JoinPage.messages";
import { refusalOf } from "./joinRefusal";
import { forgetSeat, keepSeat, seatOf } from "./ownSeat";
import { join, workshopsKey } from "./queries";
import type { Joined, JoinWish, OwnSeat } from "./types";

/** Taking a seat of a workshop and coming back to it, and what this browser knows of that. */
export function useJoin(key: string) {
  const queries = useQueryClient();
  const goTo = useGoTo();
  const [own, setOwn] = useState<OwnSeat | undefined>(() => seatOf(key));
  const [joined, setJoined] = useState<Joined>();
  const [seatGone, setSeatGone] = useState(false);
  /** Milliseconds since 1970 before which no further try is taken. */
  const [blockedUntil, setBlockedUntil] = useState(0);

  const forget = () => {
    forgetSeat(key);
    setOwn(undefined);
    setJoined(undefined);
  };
  const { mutate, error, isPending, variables, reset } = useMutation({
    mutationFn: ({ wish }: { wish: JoinWish; leads?: boolean }) => join(key, wish),
    onSuccess: (answer, { wish, leads }) => {
      const seatCode = answer.seatCode ?? ("seatCode" in wish ? wish.seatCode : undefined);
      const known = { ...answer, ...(seatCode !== undefined && { seatCode }) };
      if (seatCode !== undefined) {
        keepSeat(key, { seat: answer.seat, seatCode });
        setOwn({ seat: answer.seat, seatCode });
      }
      forgetCode(key);
      setSeatGone(false);
      setJoined(known);
      // Whoever has to wait sees their place here.
      if (leads && answer.queuePosition === undefined) goTo(answer.openUrl);
    },
    onError: (failure, { wish }) => {
      const refusal = refusalOf(failure);
      if (refusal.kind === "later") setBlockedUntil(Date.now() + 1000 * refusal.seconds);
      if (refusal.kind === "changed") void queries.invalidateQueries({ queryKey: [...workshopsKey, "join", key] });
      if (refusal.kind === "code" && "seatCode" in wish && own?.seatCode === wish.seatCode) {
        forget();
        setSeatGone(true);
      }
    },
  });
  return {
    own,
    joined,
    seatGone,
    blockedUntil,
    forget,
    goTo,
    /** Takes a seat, or comes back to one; `leads`: right into the notebook. */
    enter: (wish: JoinWish, leads = false) => {
      if (isPending || Date.now() < blockedUntil) return;
      mutate({ wish, leads });
    },
    error,
    /** What is being asked for, or was at last. */
    asked: variables?.wish,
    isPending,
    reset,
  };
}

export type Joining = ReturnType<typeof useJoin>;

/** Leaves for an address that the server gave, in this tab, if the page may open it. */
export function useGoTo() {
  const template = useConfig().sessions.url;
  return (address: string) => {
    const target = redirectTarget(new URL(address, location.href).href, template, location.origin);
    if (target === null) toast.error(messages.foreign);
    else location.assign(target);
  };
}
