import { useId } from "react";
import { useConfig } from "@/api/config";
import { Card, cardLink } from "@/ui/Card";
import { Coded } from "@/ui/Coded";
import { CopyText } from "@/ui/CopyText";
import { Icon, type IconName } from "@/ui/Icon";
import { Page } from "@/ui/Page";
import { Link } from "@/ui/router";
import type { Tone } from "@/ui/tone";
import { manyMessages, addMessages as words } from "./AddPage.messages";
import styles from "./AddPage.module.css";
import { exampleMessages } from "./example.messages";

interface Door {
  to: string;
  title: string;
  text: string;
  icon: IconName;
  tone?: Tone;
}

const main = (file: string): Door[] => [
  { to: "/add/upload", title: words.upload, text: words.uploadText, icon: "upload", tone: "amber" },
  { to: "/add/repo", title: words.repository, text: words.repositoryText(file), icon: "branch", tone: "red" },
  { to: "/add/project", title: words.project, text: words.projectText, icon: "play" },
];

const others: Door[] = [
  { to: "/add/dataset", title: words.dataset, text: words.datasetText, icon: "database", tone: "green" },
  { to: "/add/doi", title: words.doi, text: words.doiText, icon: "link", tone: "green" },
  { to: "/add/notebook", title: words.notebook, text: words.notebookText, icon: "book", tone: "blue" },
  {
    to: "/add/model",
    title: words.model,
    text: words.modelText,
    icon: "cube",
    tone: "purple",
  },
];

const example = [
  {
    kind: "resource",
    externalId: "spikes-code",
    type: "REPOSITORY",
    name: exampleMessages.entryName,
    description: exampleMessages.entryDescription,
    authors: [exampleMessages.author],
    tags: exampleMessages.tags.slice(0, 1),
    privacy: "PUBLIC",
    repositoryUrl: "https://github.com/owner/name",
  },
  {
    kind: "project",
    externalId: "spikes-project",
    name: exampleMessages.entryName,
    ownerId: exampleMessages.author,
    repository: "spikes-code",
    datasets: [],
    published: true,
  },
];

/** What can be added, and how. */
export function AddPage() {
  const [file = ""] = useConfig().descriptorNames;
  return (
    <Page width="narrow" subtitle={words.subtitle}>
      <div className={styles.stack}>
        <Doors doors={main(file)} />
        <Doors doors={others} />
        <details className={styles.many}>
          <summary>{manyMessages.title}</summary>
          <div className={styles.section}>
            <p>{manyMessages.how}</p>
            <CopyText label={manyMessages.example} text={example.map((line) => JSON.stringify(line)).join("\n")} />
            <p>
              <Coded text={manyMessages.fields} />
            </p>
            <CopyText label={manyMessages.command} text={manyMessages.commandLine} />
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
