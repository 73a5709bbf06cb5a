import { classes } from "@/lib/classes";
import { changeMessages as words } from "./ChangeList.messages";
import styles from "./ChangeList.module.css";
import { type Change, differentLines } from "./difference";

/** What changes in an entry, field by field: what goes and what comes. */
export function ChangeList({ changes }: { changes: Change[] }) {
  return (
    <dl className={styles.changes}>
      {changes.map((change) => (
        <div key={change.field} className={styles.change}>
          <dt>{words[change.field]}</dt>
          <dd>
            {"before" in change ? (
              <TextChange change={change} />
            ) : (
              <ul className={styles.items}>
                {change.removed.map((each) => (
                  <li key={each}>
                    <Gone text={each} />
                  </li>
                ))}
                {change.added.map((each) => (
                  <li key={each}>
                    <Come text={each} />
                  </li>
                ))}
                {change.reordered && <li>{words.reordered}</li>}
              </ul>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function TextChange({ change }: { change: { before: string; after: string } }) {
  const [before, after] = differentLines(change.before, change.after);
  return (
    <div className={styles.texts}>
      {before !== "" && <Gone text={before} />}
      {after !== "" && <Come text={after} />}
    </div>
  );
}

function Gone({ text }: { text: string }) {
  return (
    <del className={classes(styles.text, styles.gone)}>
      <span className="visually-hidden">{words.removed}</span>
      <bdi>{text}</bdi>
    </del>
  );
}

function Come({ text }: { text: string }) {
  return (
    <ins className={classes(styles.text, styles.come)}>
      <span className="visually-hidden">{words.added}</span>
      <bdi>{text}</bdi>
    </ins>
  );
}
