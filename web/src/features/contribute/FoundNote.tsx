import type { Found } from "@/api/types";
import { foundNoteMessages as messages } from "./FoundNote.messages";
import styles from "./FoundNote.module.css";

/** What came of looking for metadata elsewhere. */
export function FoundNote({ found, offered }: { found: Found; offered: number }) {
  const { asked, unanswered = [] } = found;
  const answered = asked.filter((source) => !unanswered.includes(source));
  return (
    <p role="status" className={styles.note}>
      {offered > 0 ? messages.offered(offered) : answered.length > 0 && messages.nothing(answered.join(", "))}{" "}
      {unanswered.length > 0 && messages.unanswered(unanswered.join(", "))}
    </p>
  );
}
