import type { Config } from "@/api/types";
import { classes } from "@/lib/classes";
import { TextLink } from "@/ui/TextLink";
import styles from "./Agenda.module.css";
import { agendaMessages } from "./messages";

type Event = Config["site"]["events"][number];

interface AgendaProps {
  title: string;
  agenda: NonNullable<Event["agenda"]>;
}

/** The table of an event. On a narrow window each row becomes a block, so that nothing is cut off. */
export function Agenda({ title, agenda: { columns, rows } }: AgendaProps) {
  return (
    <table className={styles.table} aria-label={agendaMessages.agendaOf(title)}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.time} className={classes(row.break && styles.break)}>
            <td className={styles.time}>{row.time}</td>
            <td className={styles.topic}>{row.topic}</td>
            <td>{row.format}</td>
            <td>
              {row.speakers.join(", ")}
              {row.href && <TextLink href={row.href}>{row.href.replace(/^https?:\/\//, "")}</TextLink>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
