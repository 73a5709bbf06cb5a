import type { ReactNode, RefObject } from "react";
import type { ArchivedFile, ArchivedRecord } from "@/api/types";
import { number } from "@/lib/format";
import { fileSize } from "@/lib/measures";
import { Alert } from "@/ui/Alert";
import { LinkButton } from "@/ui/Button";
import { Note } from "@/ui/Note";
import { TextLink } from "@/ui/TextLink";
import { doiPageMessages as messages } from "./DoiPage.messages";

const filesShown = 50;
const peopleShown = 8;
/** How many files of a record sessions get: MostFiles of the server. */
const filesInSessions = 1000;

interface DoiRecordProps {
  heading: RefObject<HTMLHeadingElement | null>;
  record: ArchivedRecord;
  /** What was looked up. */
  asked: string;
}

/** What an archive has under a DOI. */
export function DoiRecord({ heading, record, asked }: DoiRecordProps) {
  const { doi, conceptDoi, title, archive, url, people, published, version, license, licenseText, files, bytes } =
    record;
  const fetched = files.filter((file) => file.fetched).length;
  return (
    <section className="doi-part" aria-labelledby="doi-found">
      <h2 id="doi-found" ref={heading} tabIndex={-1}>
        {messages.found}
      </h2>
      {record.entry && (
        <Alert title={messages.exists(record.entry.name)}>
          <p>
            <LinkButton to={record.entry.link}>{messages.existing}</LinkButton>
          </p>
        </Alert>
      )}
      <p className="doi-title">{title}</p>
      <dl className="doi-facts">
        <Fact name={messages.archive}>
          <TextLink href={url}>{archive}</TextLink>
        </Fact>
        <Fact name={messages.doi}>
          <TextLink href={`https://doi.org/${doi}`}>{doi}</TextLink>
        </Fact>
        {people.length > 0 && (
          <Fact name={messages.people(people.length)}>
            {people
              .slice(0, peopleShown)
              .map(({ name }) => name)
              .join(", ")}
            {people.length > peopleShown && ` ${messages.morePeople(people.length - peopleShown)}`}
          </Fact>
        )}
        <Fact name={messages.license}>{license ?? licenseText ?? messages.noLicense}</Fact>
        {published && <Fact name={messages.published}>{published}</Fact>}
        {version && <Fact name={messages.version}>{version}</Fact>}
        <Fact name={messages.size}>{messages.total(fetched, fileSize(bytes))}</Fact>
      </dl>
      {isOf(conceptDoi, asked) && <p className="doi-quiet">{messages.concept}</p>}
      {record.restricted && <Note kind="info">{messages.restricted}</Note>}
      {fetched > filesInSessions && <Note kind="info">{messages.tooMany(number(filesInSessions))}</Note>}
      <Files files={files} />
    </section>
  );
}

const isOf = (doi: string | undefined, asked: string) =>
  doi !== undefined && asked.toLowerCase().replace("%2f", "/").endsWith(doi.toLowerCase());

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Files({ files }: { files: ArchivedFile[] }) {
  if (files.length === 0) return <p>{messages.noFiles}</p>;
  return (
    <div>
      <table className="doi-files" aria-label={messages.files}>
        <thead>
          <tr>
            <th scope="col">{messages.name}</th>
            <th scope="col" className="doi-size">
              {messages.bytes}
            </th>
          </tr>
        </thead>
        <tbody>
          {files.slice(0, filesShown).map(({ path, bytes, comparable, fetched, note }) => (
            <tr key={path}>
              <th scope="row">
                <bdi>{path}</bdi>
                {(note || (fetched && !comparable)) && <span className="doi-note">{note || messages.notCompared}</span>}
              </th>
              <td className="doi-size">{bytes === undefined ? messages.unknown : fileSize(bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {files.length > filesShown && <p className="doi-quiet">{messages.more(files.length - filesShown)}</p>}
    </div>
  );
}
