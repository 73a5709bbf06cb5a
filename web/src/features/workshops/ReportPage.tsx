import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import dashboard from "@/features/sessions/DashboardPage.module.css";
import { number } from "@/lib/format";
import { time } from "@/lib/measures";
import { BackLink } from "@/ui/BackLink";
import { Choice } from "@/ui/form/Field";
import rows from "@/ui/ListRow.module.css";
import { Note } from "@/ui/Note";
import { Page } from "@/ui/Page";
import { useParams } from "@/ui/router";
import { barsOf, cellNumber } from "./board";
import { CellBars } from "./CellBars";
import { DownloadReport } from "./DownloadReport";
import { HostPart } from "./HostPart";
import { OneWorkshop } from "./OneWorkshop";
import { workshopPath } from "./paths";
import { reportQuery } from "./queries";
import { reportMessages as messages } from "./ReportPage.messages";
import type { Report } from "./types";
import { When } from "./When";
import { WorkshopStyles } from "./WorkshopStyles";

/** /workshops/:id/report: how a workshop went. */
export function ReportPage() {
  const { id = "" } = useParams();
  const asked = useQuery(reportQuery(id));
  return (
    <OneWorkshop id={id} asked={asked}>
      {(report) => <Found key={id} id={id} report={report} />}
    </OneWorkshop>
  );
}

function Found({ id, report }: { id: string; report: Report }) {
  const { name, startsAt, endsAt, timezone, endedAt, state, seats, joined, minutes, cells, attendance } = report;
  return (
    <Page
      title={messages.title(name)}
      heading={<bdi>{messages.title(name)}</bdi>}
      subtitle={<When startsAt={startsAt} endsAt={endedAt ?? endsAt} timezone={timezone} />}
      above={<BackLink to={workshopPath(id)} />}
    >
      <WorkshopStyles />
      <div className={dashboard.parts}>
        {state !== "ENDED" && (
          <Note kind="info" role="status">
            {messages.notOver}
          </Note>
        )}
        <HostPart title={messages.attendance}>
          <p>{messages.joined(joined, seats)}</p>
          {joined > 0 && <p>{messages.median(minutes.median)}</p>}
          <Table id={id} />
        </HostPart>
        <HostPart title={messages.cells}>
          <CellBars bars={barsOf(cells)} over />
          <Errors report={report} />
        </HostPart>
        <HostPart title={messages.hints}>
          <Hints report={report} />
        </HostPart>
        <HostPart title={messages.people}>
          {attendance.length === 0 ? <p>{messages.nobody}</p> : <People report={report} />}
        </HostPart>
      </div>
    </Page>
  );
}

/** Downloads it for other programs. */
function Table({ id }: { id: string }) {
  const [names, setNames] = useState(false);
  return (
    <div className="ws-bar">
      <DownloadReport id={id} names={names} />
      <Choice
        type="checkbox"
        label={messages.names}
        help={messages.namesHelp}
        checked={names}
        onChange={(event) => setNames(event.target.checked)}
      />
    </div>
  );
}

function Errors({ report: { cells } }: { report: Report }) {
  const failed = cells.filter(({ errors }) => errors.length > 0);
  if (failed.length === 0) return null;
  return (
    <section aria-label={messages.errors}>
      <h3>{messages.errors}</h3>
      <ul className={rows.what}>
        {failed.map(({ index, errors }) => (
          <li key={index}>
            {messages.errorsIn(
              cellNumber(index),
              errors.map(({ name, count }) => messages.error(name, count)),
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Hints({ report: { hints } }: { report: Report }) {
  if (hints.length === 0) return <p>{messages.noHints}</p>;
  return (
    <ul className={rows.what}>
      {hints.map(({ cell, failed, of, name, text }) => (
        <li key={`${cell} ${name}`}>
          <strong>{messages.hint(cellNumber(cell), failed, of, name)}</strong>
          <p>{text}</p>
        </li>
      ))}
    </ul>
  );
}

function People({ report: { attendance } }: { report: Report }) {
  const heads = [
    ...[messages.seat, messages.name, messages.since, messages.minutes],
    ...[messages.passed, messages.failed],
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: in a narrow window it's scrolled with the keyboard.
    <section className="ws-scroll" tabIndex={0} aria-label={messages.peopleTable}>
      <table className="ws-table">
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {attendance.map((one) => (
            <tr key={`${one.seat} ${one.joinedAt}`}>
              <th scope="row">{one.seat}</th>
              <td>
                <bdi>{one.name}</bdi> {!one.signedIn && <span className={rows.note}>{messages.guest}</span>}
              </td>
              <td>
                <time dateTime={one.joinedAt}>{time(one.joinedAt)}</time>
              </td>
              <td>{number(Math.round(one.minutes))}</td>
              <td>{number(one.passed)}</td>
              <td>{number(one.failed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
