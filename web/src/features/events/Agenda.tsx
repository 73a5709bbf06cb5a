import type { Config } from "@/api/types";
import { classes } from "@/lib/classes";
import { TextLink } from "@/ui/TextLink";
import { agendaMessages } from "./Agenda.messages";
import styles from "./Agenda.module.css";

type Event = Config["site"]["events"][number];

/**
 * What the elements are anyway. On a phone they are laid out as blocks, and then some browsers forget it; a spread, because
 * in the markup it would look needless.
 */
const are = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  heading: { role: "columnheader" },
  cell: { role: "cell" },
};

interface AgendaProps {
  title: string;
  agenda: NonNullable<Event["agenda"]>;
}

/** The table of an event. On a narrow window each row becomes a block, so that nothing is cut off. */
export function Agenda({ title, agenda: { columns, rows } }: AgendaProps) {
  return (
    <table {...are.table} className={styles.table} aria-label={agendaMessages.agendaOf(title)}>
      <thead {...are.group}>
        <tr {...are.row}>
          {columns.map((column) => (
            <th {...are.heading} key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...are.group}>
        {rows.map((row) => (
          <tr {...are.row} key={row.time} className={classes(row.break && styles.break)}>
            <td {...are.cell} className={styles.time}>
              {row.time}
            </td>
            <td {...are.cell} className={styles.topic}>
              {row.topic}
            </td>
            <td {...are.cell}>{row.format}</td>
            <td {...are.cell}>
              {row.speakers.join(", ")}
              {row.href && <TextLink href={row.href}>{row.href.replace(/^https?:\/\//, "")}</TextLink>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
