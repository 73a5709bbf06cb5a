import { useQuery } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import type { RelatedEntry } from "@/api/types";
import { ofVersion, useVersion } from "@/api/version";
import { resourcePath } from "@/features/catalog/kinds";
import { TypeBadge } from "@/features/catalog/TypeBadge";
import { Link } from "@/ui/router";
import { relatedMessages as messages } from "./Related.messages";
import styles from "./Related.module.css";

/** The entries that belong to one, each with why, and the events that it is from. Nothing if there are none. */
export function Related({ id }: { id: string }) {
  const version = useVersion();
  const { data } = useQuery({
    queryKey: [...entryKeys.related(id), version],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/related", { params: ofVersion(id, version), signal })),
  });
  if (!data || data.entries.length + data.events.length === 0) return null;
  return (
    <section className={styles.related} aria-labelledby="related">
      <h2 id="related">{messages.title}</h2>
      {data.events.map(({ slug, title }) => (
        <p key={slug}>
          {messages.from} <Link to={`/events#${slug}`}>{title}</Link>
        </p>
      ))}
      <ul className={styles.entries}>
        {data.entries.map((entry) => (
          <li key={entry.id}>
            <span>
              <TypeBadge type={entry.type} />
            </span>
            <Link to={resourcePath(entry)}>{entry.name}</Link>
            <span className={styles.why}>
              <Reason why={entry.why} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Reason({ why: { reason, project, event, tags = [] } }: Pick<RelatedEntry, "why">) {
  if (reason === "repository") return messages.repository;
  if (project) {
    return (
      <>
        {messages.project} <Link to={`/projects/${project.id}`}>{project.name}</Link>
      </>
    );
  }
  if (event) return messages.event(event.title);
  return messages.tags(tags);
}
