import type { Session } from "@/api/types";
import { lastVisitText, presentText } from "./guests";

interface GuestLineProps {
  session: Session;
  /** Milliseconds since 1970. */
  now: number;
}

/** Who else is in a session, or was there last; nothing for nobody. */
export function GuestLine({ session, now }: GuestLineProps) {
  const text = presentText(session.present ?? []) || lastVisitText(session, now);
  return text !== "" && <p>{text}</p>;
}
