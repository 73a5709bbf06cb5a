import { lazy, type ReactNode, Suspense } from "react";
import type { Descriptor } from "@/api/types";
import { hostName } from "@/lib/hostName";
import { needsText } from "@/lib/resources";
import { Skeleton } from "@/ui/Loading";
import { TextLink } from "@/ui/TextLink";
import { reviewMessages } from "./DescriptorReview.messages";
import styles from "./DescriptorReview.module.css";
import { personText } from "./difference";
import { privacyMessages } from "./privacy.messages";

const Markdown = lazy(async () => ({ default: (await import("@/ui/Markdown")).Markdown }));

/** The entry that a descriptor will create, for review. */
export function DescriptorReview({ descriptor }: { descriptor: Descriptor }) {
  const { repositoryUrl, name, description, people, tags, privacy = "PUBLIC" } = descriptor;
  return (
    <dl className={styles.review}>
      <Row name={reviewMessages.repository}>
        <TextLink href={repositoryUrl}>{repositoryUrl}</TextLink>
      </Row>
      <Row name={reviewMessages.name}>
        <bdi className={styles.name}>{name}</bdi>
      </Row>
      <Row name={reviewMessages.description}>
        <Suspense fallback={<Skeleton height="4em" />}>
          <Markdown text={description} />
        </Suspense>
      </Row>
      <Row name={reviewMessages.tags}>
        <Words words={tags} />
      </Row>
      <Row name={reviewMessages.authors(people.length)}>
        <Words words={people.map(personText)} />
      </Row>
      {(["license", "version", "doi"] as const).map(
        (field) =>
          descriptor[field] && (
            <Row key={field} name={reviewMessages[field]}>
              {descriptor[field]}{" "}
              {descriptor.found?.[field] && (
                <span className={styles.none}>{reviewMessages.from(descriptor.found[field])}</span>
              )}
            </Row>
          ),
      )}
      {descriptor.needs && <Row name={reviewMessages.needs}>{needsText(descriptor.needs)}</Row>}
      <Row name={reviewMessages.privacy}>
        <span className={styles.privacy}>{privacy}</span>{" "}
        {descriptor.audience ? reviewMessages.host(hostName(repositoryUrl) ?? "") : privacyMessages[privacy]}
      </Row>
    </dl>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.row}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Words({ words }: { words: string[] }) {
  if (words.length === 0) return <span className={styles.none}>{reviewMessages.none}</span>;
  return (
    <ul className={styles.words}>
      {words.map((word) => (
        <li key={word}>
          <bdi>{word}</bdi>
        </li>
      ))}
    </ul>
  );
}
