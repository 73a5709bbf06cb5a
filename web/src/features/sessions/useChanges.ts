import { useEffect, useRef, useState } from "react";
import type { Session } from "@/api/types";
import { sessionsMessages } from "./Sessions.messages";

/** What became of sessions between two answers, in sentences; a poll that brought nothing new says nothing. */
export function changes(before: Session[], now: Session[]): string {
  const known = new Map(before.map(({ id, status }) => [id, status]));
  return now
    .filter(({ id, status }) => known.has(id) && known.get(id) !== status)
    .map(({ sessionName, status, statusReason }) => sessionsMessages.changed[status](sessionName, statusReason))
    .join(" ");
}

/** The latest changes of state, in a live region for screen readers. */
export function useChanges(sessions: Session[] | undefined): string {
  const before = useRef<Session[]>(undefined);
  const [told, setTold] = useState("");
  useEffect(() => {
    const news = changes(before.current ?? [], sessions ?? []);
    before.current = sessions;
    if (news !== "") setTold(news);
  }, [sessions]);
  return told;
}
