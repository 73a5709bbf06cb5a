import { CopyText } from "@/ui/CopyText";
import { Page } from "@/ui/Page";
import styles from "./AddPage.module.css";

const example = [
  {
    kind: "resource",
    externalId: "spikes-code",
    type: "REPOSITORY",
    name: "Spike sorting",
    description: "Sorts **spikes** of many electrodes.",
    authors: ["you@example.org"],
    tags: ["neuroscience"],
    privacy: "PUBLIC",
    repositoryUrl: "https://github.com/owner/name",
  },
  {
    kind: "project",
    externalId: "spikes-project",
    name: "Spike sorting",
    ownerId: "you@example.org",
    repository: "spikes-code",
    datasets: [],
    published: true,
  },
];

/** How entries come into the catalog. */
export function AddPage() {
  return (
    <Page
      title="Add to the catalog"
      width="narrow"
      subtitle="The operators of this server add entries and projects from a file. Send them yours."
    >
      <div className={styles.stack}>
        <section className={styles.section} aria-labelledby="file">
          <h2 id="file">Write the file</h2>
          <p>
            One JSON object a line: a repository, a dataset, a notebook or a model as a resource, and a project that
            bundles one repository with datasets. The authors are e-mail addresses; whoever signs in with one of them
            sees the entry even if it is private.
          </p>
          <CopyText label="example" text={example.map((line) => JSON.stringify(line)).join("\n")} />
          <p>
            Instead of <code>repositoryUrl</code>, a dataset has <code>datasetUrl</code>, a notebook{" "}
            <code>notebookPath</code>, and a model <code>applicationInterfaceId</code> and <code>version</code>.
          </p>
        </section>
        <section className={styles.section} aria-labelledby="import">
          <h2 id="import">Import it</h2>
          <p>
            The operators run this on the server. The whole file is checked first, and a line with a fault is named; an
            entry with the same <code>externalId</code> is updated.
          </p>
          <CopyText label="command" text="cairn import FILE" />
        </section>
      </div>
    </Page>
  );
}
