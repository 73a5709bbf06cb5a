import type { Resource } from "@/api/types";
import { Linked } from "./CitedFacts";
import { citedWorkMessages as messages } from "./CitedWork.messages";
import { Fact } from "./Fact";
import styles from "./ResourceFacts.module.css";

type Award = NonNullable<Resource["funding"]>[number];
type Related = NonNullable<Resource["relatedIdentifiers"]>[number];

/** Who paid for an entry, and the work that it is related to; loaded for the entries that say so. */
export function CitedWork({ funding, related }: { funding: Award[]; related: Related[] }) {
  return (
    <>
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
