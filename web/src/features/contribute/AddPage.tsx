import { useId } from "react";
import { Link } from "react-router";
import { Card, cardLink } from "@/ui/Card";
import { CopyText } from "@/ui/CopyText";
import { Icon, type IconName } from "@/ui/Icon";
import { Page } from "@/ui/Page";
import type { Tone } from "@/ui/tone";
import styles from "./AddPage.module.css";

interface Door {
  to: string;
  title: string;
  text: string;
  icon: IconName;
  tone?: Tone;
}

const main: Door[] = [
  {
    to: "/add/repo",
    title: "Add a repository",
    text: "From GitHub: a descriptor file in the repository says what its entry says.",
    icon: "branch",
    tone: "red",
  },
  {
    to: "/add/project",
    title: "Add a project",
    text: "One repository with the datasets it needs, to start sessions from. Its name is private to you.",
    icon: "play",
  },
];

const others: Door[] = [
  { to: "/add/dataset", title: "Add a dataset", text: "Data at a web address.", icon: "database", tone: "green" },
  { to: "/add/notebook", title: "Add a notebook", text: "A notebook file on the web.", icon: "book", tone: "blue" },
  {
    to: "/add/model",
    title: "Add a model",
    text: "An application of the workflow platform.",
    icon: "cube",
    tone: "purple",
  },
];

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

/** What can be added, and how. */
export function AddPage() {
  return (
    <Page title="Add to the catalog" width="narrow" subtitle="Choose what to add.">
      <div className={styles.stack}>
        <Doors doors={main} />
        <Doors doors={others} />
        <details className={styles.many}>
          <summary>Many at once</summary>
          <div className={styles.section}>
            <p>
              The operators of this server add many entries and projects from a file, also folders of data on the server
              itself. Send them yours: one JSON object a line, a resource or a project.
            </p>
            <CopyText label="example" text={example.map((line) => JSON.stringify(line)).join("\n")} />
            <p>
              Instead of <code>repositoryUrl</code>, a dataset has <code>datasetUrl</code>, a notebook{" "}
              <code>notebookPath</code>, and a model <code>applicationInterfaceId</code> and <code>version</code>. The
              whole file is checked before anything is written; an entry with the same <code>externalId</code> is
              updated.
            </p>
            <CopyText label="command" text="cairn import FILE" />
          </div>
        </details>
      </div>
    </Page>
  );
}

function Doors({ doors }: { doors: Door[] }) {
  return (
    <ul className={styles.doors}>
      {doors.map((door) => (
        <li key={door.to}>
          <DoorCard door={door} />
        </li>
      ))}
    </ul>
  );
}

function DoorCard({ door: { to, title, text, icon, tone } }: { door: Door }) {
  const heading = useId();
  return (
    <Card linked aria-labelledby={heading} {...(tone && { tone })}>
      <div className={styles.door}>
        <Icon name={icon} size={22} />
        <h2 id={heading} className={styles.title}>
          <Link to={to} className={cardLink}>
            {title}
          </Link>
        </h2>
        <p className={styles.text}>{text}</p>
      </div>
    </Card>
  );
}
