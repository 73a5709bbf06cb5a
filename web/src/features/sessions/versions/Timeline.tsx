import type { Version } from "@/api/types";
import { classes } from "@/lib/classes";
import { day } from "@/lib/format";
import { time } from "@/lib/measures";
import { Icon, type IconName } from "@/ui/Icon";
import { Link } from "@/ui/router";
import { type VersionsPlace, writePlace } from "./place";
import { versionsMessages as messages } from "./Versions.messages";
import styles from "./Versions.module.css";

interface TimelineProps {
  /** The newest first. */
  versions: Version[];
  /** The id of the one that is shown. */
  shown: string;
  place: VersionsPlace;
}

const icons: Record<Version["cause"], IconName> = {
  timer: "check",
  stop: "signOut",
  idle: "signOut",
  limit: "error",
  restore: "arrowLeft",
  named: "tag",
  lost: "offline",
};

/** Versions below the day on which they were saved, each with its time, its cause, and what changed. */
export function Timeline({ versions, shown, place }: TimelineProps) {
  const days = new Map<string, Version[]>();
  for (const version of versions) {
    const date = day(version.at);
    days.set(date, [...(days.get(date) ?? []), version]);
  }
  return (
    <nav aria-label={messages.list} className={styles.timeline}>
      {[...days].map(([date, some]) => (
        <section key={date}>
          <h2 className={styles.day}>{date}</h2>
          <ol>
            {some.map(({ id, at, cause, name, changed }) => (
              <li key={id}>
                <Link
                  to={{ search: writePlace({ ...place, version: id }) }}
                  className={classes(styles.moment, id === shown && styles.shown)}
                  aria-current={id === shown ? "true" : undefined}
                >
                  <Icon name={icons[cause]} size={16} />
                  <span>
                    <time dateTime={at}>{time(at)}</time> <b>{name || messages.causes[cause]}</b>
                    <span className={styles.quiet}>{messages.changes(changed)}</span>
                  </span>
                </Link>
              </li>
            ))}
          </ol>
        </section>
      ))}
    </nav>
  );
}
