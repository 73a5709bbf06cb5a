import { lazy, type ReactNode, Suspense, useState } from "react";
import { useConfig } from "@/api/config";
import type { Resource } from "@/api/types";
import { byAuthor, catalogPath } from "@/features/catalog/filters";
import { MoreButton } from "@/features/catalog/MoreButton";
import { useFirst } from "@/features/catalog/useFirst";
import { breakpoints } from "@/lib/constants";
import { ago, number } from "@/lib/format";
import { elsewhere, webAddress } from "@/lib/links";
import { Button } from "@/ui/Button";
import { Link } from "@/ui/router";
import { TextLink } from "@/ui/TextLink";
import { Fact, When } from "./Fact";
import { resourceFactsMessages as messages } from "./ResourceFacts.messages";
import styles from "./ResourceFacts.module.css";
import { workflowAddress } from "./workflowAddress";

// Few entries have them.
const CitedWork = lazy(async () => ({ default: (await import("./CitedWork")).CitedWork }));
const PersonDetails = lazy(async () => ({ default: (await import("./CitedWork")).PersonDetails }));
const MeasuredFacts = lazy(async () => ({ default: (await import("./MeasuredFacts")).MeasuredFacts }));

/** The entry's authors, dates, tags and links. Folded on a narrow window, with a line that summarizes them. */
export function ResourceFacts({ resource, children }: { resource: Resource; children: ReactNode }) {
  const { createdAt, updatedAt, starCount, privacy, type, version, license, doi, usedBy = 0 } = resource;
  const { authorNames = [], maintainers = [], language, funding = [], relatedIdentifiers = [] } = resource;
  const named = resource.people?.filter(({ name }) => name !== "") ?? [];
  const credited = named.filter(({ role }) => !role);
  const contributors = named.filter(({ role }) => role);
  const [open, setOpen] = useState(() => window.innerWidth >= breakpoints.desktop);
  const [dialog, setDialog] = useState<typeof import("./ReportDialog")>();
  const config = useConfig();
  const source = elsewhere(webAddress(resource.repositoryUrl ?? resource.datasetUrl ?? resource.notebookSource));
  const platform = type === "MODEL" ? workflowAddress(resource, config) : undefined;
  return (
    <details className={styles.facts} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={styles.summary}>
        {messages.title}
        {!open && <span className={styles.glimpse}>{messages.glimpse(authorNames.length, ago(updatedAt))}</span>}
      </summary>
      <dl className={styles.list}>
        {credited.length > 0 && (
          <Fact name={messages.authors(credited.length)}>
            <People people={credited} />
          </Fact>
        )}
        {contributors.length > 0 && (
          <Fact name={messages.contributors(contributors.length)}>
            <People people={contributors} />
          </Fact>
        )}
        {maintainers.length > 0 && (
          <Fact name={messages.maintainers}>
            <Maintainers addresses={maintainers} />
          </Fact>
        )}
        {license && (
          <Fact name={messages.license}>
            {/* An expression of several licenses has no page in the SPDX list. */}
            {/[\s()]/.test(license) ? (
              license
            ) : (
              <TextLink href={`https://spdx.org/licenses/${license}`}>{license}</TextLink>
            )}
          </Fact>
        )}
        {doi && (
          <Fact name={messages.doi}>
            <TextLink href={`https://doi.org/${doi}`}>{doi}</TextLink>
          </Fact>
        )}
        {version && (
          <Fact name={messages.version}>
            <span className={styles.exact}>{version}</span>
          </Fact>
        )}
        {(language || funding.length + relatedIdentifiers.length > 0) && (
          <Suspense>
            <CitedWork language={language} funding={funding} related={relatedIdentifiers} />
          </Suspense>
        )}
        <Fact name={messages.added}>
          <When moment={createdAt} />
        </Fact>
        {updatedAt !== createdAt && (
          <Fact name={messages.updated}>
            <When moment={updatedAt} />
          </Fact>
        )}
        {usedBy > 0 && (
          <Fact name={messages.usedBy}>
            <a href="#projects">{messages.projects(usedBy)}</a>
          </Fact>
        )}
        {starCount > 0 && <Fact name={messages.stars}>{number(starCount)}</Fact>}
        <Fact name={messages.privacy}>
          {resource.audience
            ? messages.host
            : privacy === "PRIVATE" || resource.hidden
              ? messages.private
              : messages.public}
        </Fact>
        {source && (
          <Fact name={messages.links}>
            <TextLink href={source}>{withoutScheme(source)}</TextLink>
          </Fact>
        )}
        {platform && (
          <Fact name={messages.run}>
            <TextLink href={platform}>{messages.runOn(config.workflow.name)}</TextLink>
          </Fact>
        )}
        <Suspense>
          <MeasuredFacts resource={resource} />
        </Suspense>
      </dl>
      {children}
      {!resource.canEdit && (
        <Button
          className={styles.report}
          variant="quiet"
          size="small"
          onClick={async () => setDialog(await import("./ReportDialog"))}
        >
          {messages.report}
        </Button>
      )}
      {dialog && <dialog.ReportDialog id={resource.id} onClose={() => setDialog(undefined)} />}
    </details>
  );
}

const peopleAtFirst = 8;

function People({ people }: { people: NonNullable<Resource["people"]> }) {
  const { shown, long, all, toggle } = useFirst(people, peopleAtFirst);
  return (
    <>
      {shown.map(({ id, name, orcid, email, role, affiliation }) => (
        <span key={name + orcid} className={styles.person}>
          {id ? <Link to={`/people/${encodeURIComponent(id)}`}>{name}</Link> : <Entries of={name} />}{" "}
          {orcid !== "" && <TextLink href={`https://orcid.org/${orcid}`}>{messages.orcid}</TextLink>}
          {(role || affiliation) && (
            <Suspense>
              <PersonDetails role={role} affiliation={affiliation} />
            </Suspense>
          )}
          {email && (
            <span className={styles.at} dir="ltr">
              <Entries of={email} />
            </span>
          )}
        </span>
      ))}
      {long && <MoreButton total={people.length} noun={messages.peopleNoun} all={all} onToggle={toggle} />}
    </>
  );
}

function Maintainers({ addresses }: { addresses: string[] }) {
  const { shown, long, all, toggle } = useFirst(addresses, peopleAtFirst);
  return (
    <>
      {shown.map((address) => (
        <span key={address} className={styles.person} dir="ltr">
          <Entries of={address} />
        </span>
      ))}
      {long && <MoreButton total={addresses.length} noun={messages.peopleNoun} all={all} onToggle={toggle} />}
    </>
  );
}

/** A name or an address, which leads to all entries with such an author. */
function Entries({ of }: { of: string }) {
  return (
    <Link to={catalogPath({ text: byAuthor(of.replace("@…", "")) })} title={messages.byAuthor(of)}>
      {of}
    </Link>
  );
}

function withoutScheme(address: string): string {
  return address.replace(/^https?:\/\/(www\.)?/i, "").replace(/\/$/, "");
}
