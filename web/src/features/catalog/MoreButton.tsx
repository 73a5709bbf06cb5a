import { moreButtonMessages } from "./MoreButton.messages";
import styles from "./MoreButton.module.css";

interface MoreButtonProps {
  total: number;
  /** What they are, for instance "tags". */
  noun: string;
  /** All of them are shown. */
  all: boolean;
  onToggle: () => void;
}

/** Expands a long list, or collapses it again. */
export function MoreButton({ total, noun, all, onToggle }: MoreButtonProps) {
  return (
    <button type="button" className={styles.more} aria-expanded={all} onClick={onToggle}>
      {all ? moreButtonMessages.fewer(noun) : moreButtonMessages.all(total, noun)}
    </button>
  );
}
