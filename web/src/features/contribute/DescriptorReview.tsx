import { lazy, type ReactNode, Suspense } from "react";
import type { Descriptor } from "@/api/types";
import { Skeleton } from "@/ui/Loading";
import { TextLink } from "@/ui/TextLink";
import styles from "./DescriptorReview.module.css";
import { privacyText } from "./privacyText";

const Markdown = lazy(async () => ({ default: (await import("@/ui/Markdown")).Markdown }));

/** What a descriptor makes of an entry, to be read before it is added. */
export function DescriptorReview({ descriptor }: { descriptor: Descriptor }) {
  const { repositoryUrl, name, description, authors, tags, privacy } = descriptor;
  return (
    <dl className={styles.review}>
      <Row name="Repository">
        <TextLink href={repositoryUrl}>{repositoryUrl}</TextLink>
      </Row>
      <Row name="Name">
        <bdi className={styles.name}>{name}</bdi>
      </Row>
      <Row name="Description">
        <Suspense fallback={<Skeleton height="4em" />}>
          <Markdown text={description} />
        </Suspense>
      </Row>
      <Row name="Tags">
        <Words words={tags} />
      </Row>
      <Row name={authors.length === 1 ? "Author" : "Authors"}>
        <Words words={authors} />
      </Row>
      <Row name="Privacy">
        <span className={styles.privacy}>{privacy}</span> {privacyText[privacy]}
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
  if (words.length === 0) return <span className={styles.none}>none</span>;
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
