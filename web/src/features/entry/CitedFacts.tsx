import type { Resource } from "@/api/types";
import { webAddress } from "@/lib/links";
import { TextLink } from "@/ui/TextLink";
import { citedFactsMessages as messages } from "./CitedFacts.messages";
import styles from "./ResourceFacts.module.css";

type Person = NonNullable<Resource["people"]>[number];

/** Somebody whom the entry credits: name, ORCID, role and affiliation. */
export function CreditedPerson({ person: { name, orcid, role, affiliation } }: { person: Person }) {
  return (
    <span className={styles.person}>
      {name}
      {orcid !== "" && (
        <a href={`https://orcid.org/${orcid}`} rel="noopener noreferrer" aria-label={messages.orcid(name)}>
          <OrcidIcon />
        </a>
      )}
      {(role || affiliation) && (
        <span className={styles.at}>
          {role && messages.role(role)}
          {role && affiliation && ", "}
          {affiliation && <Linked href={affiliation.ror}>{affiliation.name}</Linked>}
        </span>
      )}
    </span>
  );
}

/** The id's own mark: a green disc with "iD". */
function OrcidIcon() {
  return (
    <svg className={styles.orcid} viewBox="0 0 256 256" aria-hidden="true">
      <circle cx="128" cy="128" r="128" fill="#a6ce39" />
      <path
        fill="#fff"
        d="M71 79h15v107H71zM79 47a10 10 0 1 1 0 20 10 10 0 0 1 0-20zM109 79h42c40 0 57 28 57 54 0 27-22 53-57 53h-42zm15 93h25c35 0 43-27 43-39 0-22-14-40-44-40h-24z"
      />
    </svg>
  );
}

/** A license with the page of the SPDX list about it; an expression of several has none. */
export function LicenseName({ license }: { license: string }) {
  return <Linked href={/[\s()]/.test(license) ? "" : `https://spdx.org/licenses/${license}`}>{license}</Linked>;
}

/** A text, with a link if there is a safe address. */
export function Linked({ href, children }: { href: string | undefined; children: string }) {
  const address = webAddress(href || undefined);
  return address ? <TextLink href={address}>{children}</TextLink> : children;
}

/** The name of a language for people; the tag itself where the browser knows none. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames("en", { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
