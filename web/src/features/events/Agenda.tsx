import type { Config } from "@/api/types";
import { classes } from "@/lib/classes";
import { TextLink } from "@/ui/TextLink";
import { agendaMessages } from "./Agenda.messages";
import styles from "./Agenda.module.css";

type Event = Config["site"]["events"][number];

/**
 * The elements' implicit roles. Some browsers drop them on a phone, where the elements are displayed as blocks. They are
 * spread, because the linter rejects such roles in the markup as redundant.
 */
const are = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  heading: { role: "columnheader" },
  cell: { role: "cell" },
};

/** The search for the entry with a name. */
const searchFor = (name: string) =>
  `/resources?${new URLSearchParams({ searchText: `"${name.replaceAll('"', " ")}"` })}`;

interface AgendaProps {
  title: string;
  agenda: NonNullable<Event["agenda"]>;
}

/** An event's agenda as a table. In a narrow window each row becomes a block, so that nothing is cut off. */
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
              {row.entry ? <TextLink href={searchFor(row.entry)}>{row.topic}</TextLink> : row.topic}
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
