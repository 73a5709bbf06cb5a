import { CopyButton } from "./CopyButton";
import styles from "./CopyText.module.css";
import { copyMessages as words } from "./copy.messages";

interface CopyTextProps {
  /** What the text is, for instance "clone command". */
  label: string;
  text: string;
}

/** A text with a button that copies it. */
export function CopyText({ label, text }: CopyTextProps) {
  return (
    <div className={styles.frame}>
      <span className={styles.button}>
        <CopyButton size="small" label={words.copyOne(label)} text={text} />
      </span>
      <pre className={styles.text}>{text}</pre>
    </div>
  );
}
