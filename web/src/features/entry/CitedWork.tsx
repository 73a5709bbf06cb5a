import type { Resource } from "@/api/types";
import { webAddress } from "@/lib/links";
import { TextLink } from "@/ui/TextLink";
import { citedWorkMessages as messages } from "./CitedWork.messages";
import { Fact } from "./Fact";
import styles from "./ResourceFacts.module.css";

type Award = NonNullable<Resource["funding"]>[number];
type Related = NonNullable<Resource["relatedIdentifiers"]>[number];
type Person = NonNullable<Resource["people"]>[number];

interface PersonDetailsProps {
  role: Person["role"] | undefined;
  affiliation: Person["affiliation"] | undefined;
}

/** What somebody whom the entry credits did, and where. */
export function PersonDetails({ role, affiliation }: PersonDetailsProps) {
  return (
    <span className={styles.at}>
      {role && messages.role(role)}
      {role && affiliation && ", "}
      {affiliation && <Linked href={affiliation.ror}>{affiliation.name}</Linked>}
    </span>
  );
}

interface CitedWorkProps {
  language: string | undefined;
  funding: Award[];
  related: Related[];
}

/** The language of an entry, who paid for it, and the work that it is related to. */
export function CitedWork({ language, funding, related }: CitedWorkProps) {
  return (
    <>
      {language && <Fact name={messages.language}>{languageName(language)}</Fact>}
      {funding.length > 0 && (
        <Fact name={messages.funding}>
          <FundingList funding={funding} />
        </Fact>
      )}
      {related.length > 0 && (
        <Fact name={messages.related}>
          <RelatedList related={related} />
        </Fact>
      )}
    </>
  );
}

function FundingList({ funding }: { funding: Award[] }) {
  return funding.map(({ funder, funderId, awardNumber, awardTitle, awardUrl }) => (
    <span key={funder + awardNumber + awardTitle} className={styles.award}>
      <Linked href={funderId}>{funder}</Linked>
      {(awardTitle || awardNumber) && (
        <span className={styles.at}>
          <Linked href={awardUrl}>
            {[awardTitle, awardNumber && messages.award(awardNumber)].filter(Boolean).join(", ")}
          </Linked>
        </span>
      )}
    </span>
  ));
}

function RelatedList({ related }: { related: Related[] }) {
  return related.map(({ identifier, type, relation }) => (
    <span key={relation + type + identifier} className={styles.award}>
      {messages.relation(relation)} <Linked href={addressOf(type, identifier)}>{identifier}</Linked>
    </span>
  ));
}

const resolvers: Record<string, string> = {
  DOI: "https://doi.org/",
  Handle: "https://hdl.handle.net/",
  PMID: "https://pubmed.ncbi.nlm.nih.gov/",
  arXiv: "https://arxiv.org/abs/",
  SWHID: "https://archive.softwareheritage.org/",
};

/** Where an identifier leads; undefined for one that leads nowhere. */
function addressOf(type: string, identifier: string): string | undefined {
  if (type === "URL") return identifier;
  const resolver = resolvers[type];
  return resolver && resolver + encodeURI(identifier.replace(/^arxiv:/i, ""));
}

/** A text, with a link if there is a safe address. */
function Linked({ href, children }: { href: string | undefined; children: string }) {
  const address = webAddress(href || undefined);
  return address ? <TextLink href={address}>{children}</TextLink> : children;
}

/** The name of a language for people; the tag itself where the browser knows none. */
function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames("en", { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
