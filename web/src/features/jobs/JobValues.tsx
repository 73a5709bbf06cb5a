import type { Job } from "@/api/types";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import styles from "@/features/sessions/versions/Versions.module.css";
import { jobPageMessages as messages } from "./JobPage.messages";
import { shownValue } from "./parameters";

/** The values with which a notebook was executed, where they aren't its own. */
export function JobValues({ job: { parameters = {} } }: { job: Job }) {
  const values = Object.entries(parameters);
  return (
    <section className={projectStyles.section} aria-labelledby="values">
      <h2 id="values">{messages.values}</h2>
      {values.length === 0 ? (
        <p className={styles.quiet}>{messages.defaults}</p>
      ) : (
        <table className={styles.files} aria-label={messages.valuesAre}>
          <thead>
            <tr>
              <th scope="col">{messages.name}</th>
              <th scope="col">{messages.value}</th>
            </tr>
          </thead>
          <tbody>
            {values.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">
                  <bdi className={styles.name}>{name}</bdi>
                </th>
                <td>
                  <code>
                    <bdi>{shownValue(value)}</bdi>
                  </code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
