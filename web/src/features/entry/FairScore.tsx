import { useQuery } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { useConfig } from "@/api/config";
import { entryKeys } from "@/api/entries";
import type { Resource } from "@/api/types";
import { resourcePath } from "@/features/catalog/kinds";
import { elsewhere, webAddress } from "@/lib/links";
import { LinkButton } from "@/ui/Button";
import { CopyText } from "@/ui/CopyText";
import { Icon } from "@/ui/Icon";
import { TextLink } from "@/ui/TextLink";
import { fairScoreMessages as messages } from "./FairScore.messages";
import styles from "./FairScore.module.css";

/** What strangers get of an entry, for its authors: each check that fails, why, and what helps. */
export function FairScore({ resource }: { resource: Resource }) {
  const { id, updatedAt, canEdit, canSync } = resource;
  const { data } = useQuery({
    queryKey: entryKeys.score(id, updatedAt),
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/fair", { params: { path: { id } }, signal })),
  });
  if (!data) return null;
  const failed = data.checks.filter(({ ok }) => !ok);
  const passed = data.checks.filter(({ ok }) => ok);
  return (
    <section className={styles.score} aria-labelledby="fair">
      <h2 id="fair">{messages.title(String(data.score), String(data.of))}</h2>
      <p className={styles.quiet}>{messages.explanation}</p>
      {failed.length === 0 ? (
        <p>{messages.allFine}</p>
      ) : (
        <ul className={`${styles.score} ${styles.checks}`} aria-label={messages.missing}>
          {failed.map(({ id: check, name, points, fix }) => (
            <li key={check}>
              <strong>{fix?.missing ?? name}</strong>
              <span className={styles.quiet}>{messages.worth(String(points))}</span>
              <span className={styles.why}>{fix?.why}</span>
              {canSync && fix?.action && fix.line && (
                <DescriptorLine resource={resource} action={fix.action} line={fix.line} />
              )}
              {canEdit && fix?.action && fix.field && (
                <span className={styles.fix}>
                  <LinkButton to={`${resourcePath(resource)}/edit#${fix.field}`}>{fix.action}</LinkButton>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {passed.length > 0 && (
        <details className={styles.quiet}>
          <summary>{messages.passed(passed.length)}</summary>
          <ul className={styles.passed}>
            {passed.map(({ id: check, name }) => (
              <li key={check}>
                <Icon name="check" size={16} />
                {name}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

interface DescriptorLineProps {
  resource: Resource;
  action: string;
  line: string;
}

/** The line of the descriptor that helps: the entry of a repository says what that says. */
function DescriptorLine({ resource, action, line }: DescriptorLineProps) {
  const { descriptorNames } = useConfig();
  const [file = ""] = descriptorNames;
  const repository = elsewhere(webAddress(resource.repositoryUrl));
  return (
    <div className={styles.line}>
      <p>
        {messages.writeInto(action, file)}{" "}
        {repository && (
          <TextLink href={`${repository.replace(/(\.git)?\/*$/, "")}/blob/HEAD/${file}`}>
            {messages.open(file)}
          </TextLink>
        )}
      </p>
      <CopyText label={messages.lineOf(file)} text={line} />
    </div>
  );
}
