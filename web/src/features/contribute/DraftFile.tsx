import type { FileDraft } from "@/api/types";
import { CopyButton } from "@/ui/CopyButton";
import { TextLink } from "@/ui/TextLink";
import { draftMessages as words } from "./DraftFile.messages";
import styles from "./DraftFile.module.css";

/** The text of a draft after its changes. */
export function correctedText(draft: FileDraft): string {
  return draft.lines
    .filter(({ mark }) => mark !== "removed")
    .map(({ text }) => `${text}\n`)
    .join("");
}

/** The person's own descriptor with the lines to add or change marked, or one made for a repository without any. */
export function DraftFile({ draft }: { draft: FileDraft }) {
  const { file, address, host = "", lines, complete } = draft;
  return (
    <section className={styles.draft} aria-labelledby="draft">
      <h3 id="draft">{draft.new ? words.made(file) : words.yours(file)}</h3>
      <p className={styles.note}>{draft.new ? words.madeText : complete ? words.complete : words.incomplete}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard too. */}
      <section className={styles.lines} aria-label={file} tabIndex={0}>
        <pre>
          {lines.map(({ text, mark }, number) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text have nothing else
            <span key={number} className={styles[mark]}>
              {words.line(mark, text)}
            </span>
          ))}
        </pre>
      </section>
      <div className={styles.actions}>
        <CopyButton label={words.copy(complete)} text={correctedText(draft)}>
          {words.copy(complete)}
        </CopyButton>
        {address && <TextLink href={address}>{draft.new ? words.create(host) : words.edit(host)}</TextLink>}
      </div>
    </section>
  );
}
