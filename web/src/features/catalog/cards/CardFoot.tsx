import { useContext, useState } from "react";
import type { Resource } from "@/api/types";
import { useStar } from "@/features/catalog/useStar";
import { classes } from "@/lib/classes";
import { Avatar } from "@/ui/Avatar";
import { aboveCardLink } from "@/ui/Card";
import { Icon } from "@/ui/Icon";
import { RunContext } from "@/ui/run";
import styles from "./CardFoot.module.css";
import { Marked } from "./Marked";
import { resourceCardMessages as messages } from "./ResourceCard.messages";

/** Who made an entry, and what one can do with it at once. */
export function CardFoot({ resource, className }: { resource: Resource; className?: string | undefined }) {
  const { name, authorNames = [], starCount, matched } = resource;
  const star = useStar(resource);
  const named = matched?.find(({ field, text }) => field === "authors" && !text.includes("@"));
  const author = named?.text ?? authorNames[0];
  return (
    <footer className={classes(styles.foot, className)}>
      {author !== undefined && (
        <span className={styles.author}>
          <Avatar of={author} size="small" />
          <span className={styles.name}>
            <Marked text={author} marks={named?.marks} />
          </span>
          {authorNames.length > 1 && <span>{messages.moreAuthors(authorNames.length - 1)}</span>}
        </span>
      )}
      {resource.runnable && <CardRun resource={resource} />}
      <button
        type="button"
        className={classes(styles.star, star.starred && styles.starred, aboveCardLink)}
        aria-label={messages.star(star.label, name, starCount)}
        onClick={star.toggle}
      >
        <Icon name="star" size={15} filled={star.starred} />
        {starCount > 0 && starCount}
      </button>
    </footer>
  );
}

function CardRun({ resource: { id, name } }: { resource: Resource }) {
  const run = useContext(RunContext);
  const [starting, setStarting] = useState(false);
  return (
    <button
      type="button"
      className={classes(styles.run, aboveCardLink)}
      aria-label={messages.run(name)}
      onClick={() => {
        if (starting) return;
        setStarting(true);
        void run({ id, name, of: "entry" }).finally(() => setStarting(false));
      }}
    >
      <Icon name="play" size={15} />
      {messages.runShort}
    </button>
  );
}
