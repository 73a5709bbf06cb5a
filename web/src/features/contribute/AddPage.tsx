import { Link } from "react-router";
import { Card, cardLink } from "@/ui/Card";
import { CopyText } from "@/ui/CopyText";
import { Icon, type IconName } from "@/ui/Icon";
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

interface Choice {
  to: string;
  icon: IconName;
  title: string;
  text: string;
}

/** What can be added. */
const choices: Choice[] = [
  {
    to: "/add/repo",
    icon: "branch",
    title: "Add a repository",
    text: "Code on GitHub. A descriptor file in it says what the catalog shows; its authors keep it in sync.",
  },
  {
    to: "/add/project",
    icon: "folder",
    title: "Add a project",
    text: "One repository of the catalog with the datasets that it works on, ready to be started as a session.",
  },
];

/** What to add, and how many entries come into the catalog at once. */
export function AddPage() {
  return (
    <Page title="Add to the catalog" width="narrow" subtitle="What would you like to add?">
      <div className={styles.stack}>
        <ul className={styles.choices}>
          {choices.map(({ to, icon, title, text }) => (
            <li key={to}>
              <Card linked className={styles.choice}>
                <Icon name={icon} size={24} />
                <h2>
                  <Link to={to} className={cardLink}>
                    {title}
                  </Link>
                </h2>
                <p>{text}</p>
              </Card>
            </li>
          ))}
        </ul>
        <details className={styles.many}>
          <summary>Many at once, from a file</summary>
          <div className={styles.section}>
            <p>
              The operators of this server import files; send them yours. One JSON object a line: a repository, a
              dataset, a notebook or a model as a resource, and a project that bundles one repository with datasets. The
              authors are e-mail addresses; whoever signs in with one of them sees the entry even if it is private.
            </p>
            <CopyText label="example" text={example.map((line) => JSON.stringify(line)).join("\n")} />
            <p>
              Instead of <code>repositoryUrl</code>, a dataset has <code>datasetUrl</code>, a notebook{" "}
              <code>notebookPath</code>, and a model <code>applicationInterfaceId</code> and <code>version</code>. The
              whole file is checked first, and a line with a fault is named; an entry with the same{" "}
              <code>externalId</code> is updated.
            </p>
            <CopyText label="command" text="cairn import FILE" />
          </div>
        </details>
      </div>
    </Page>
  );
}
