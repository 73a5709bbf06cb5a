import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { useAuth } from "@/features/identity/useAuth";
import styles from "./CatalogGlimpse.module.css";
import { catalogPath } from "./filters";
import { kinds, resourceTypes } from "./kinds";
import { catalogGlimpseMessages } from "./messages";
import { newestQuery } from "./queries";
import { ResourceGrid, ResourceGridSkeleton } from "./ResourceGrid";

/** What is in the catalog now: how many of each kind, and the newest entries. Nothing when that cannot be told. */
export function CatalogGlimpse() {
  const { state } = useAuth();
  const { data, error } = useQuery({ ...newestQuery(), enabled: state !== "loading" });
  if (error || data?.empty) return null;
  return (
    <section className={styles.glimpse} aria-labelledby="glimpse">
      <h2 id="glimpse">{catalogGlimpseMessages.title}</h2>
      <ul className={styles.kinds}>
        {resourceTypes.map((type) => (
          <li key={type} className={styles[kinds[type].tone]}>
            <Link to={catalogPath({ types: [type] })}>
              <span className={styles.number}>
                {data ? (data.facets?.types[type] ?? 0) : catalogGlimpseMessages.unknown}
              </span>
              {kinds[type].plural}
            </Link>
          </li>
        ))}
      </ul>
      {data ? <ResourceGrid resources={data.content} /> : <ResourceGridSkeleton count={3} />}
      <p>
        <Link to={catalogPath()}>{catalogGlimpseMessages.all(data?.totalElements)}</Link>
      </p>
    </section>
  );
}
