import { count } from "@/lib/format";
import styles from "./MoreButton.module.css";

interface MoreButtonProps {
  total: number;
  /** What they are, for instance "tags". */
  noun: string;
  /** All of them are shown. */
  all: boolean;
  onToggle: () => void;
}

/** Shows a long list whole, or its beginning again. */
export function MoreButton({ total, noun, all, onToggle }: MoreButtonProps) {
  return (
    <button type="button" className={styles.more} aria-expanded={all} onClick={onToggle}>
      {all ? `Fewer ${noun}` : `All ${count(total, noun, noun)}`}
    </button>
  );
}
