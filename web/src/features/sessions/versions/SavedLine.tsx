import type { Session } from "@/api/types";
import { ago } from "@/lib/format";
import { Link } from "@/ui/router";
import { savedLineMessages as messages } from "./SavedLine.messages";

interface SavedLineProps {
  session: Session;
  /** Milliseconds since 1970. */
  now: number;
}

/** When a session's work was last saved and how often, as a link to its versions; nothing where none are kept. */
export function SavedLine({ session: { id, sessionName, savedAt, versions, savingStopped }, now }: SavedLineProps) {
  if (!versions && !savingStopped) return null;
  const words = [
    savedAt ? messages.saved(ago(savedAt, now)) : messages.notYet,
    versions && messages.versions(versions),
  ];
  return (
    <Link to={`/sessions/${encodeURIComponent(id)}/versions`} aria-label={messages.open(sessionName)}>
      {words.filter(Boolean).join(" · ")}
    </Link>
  );
}
