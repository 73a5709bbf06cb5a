import { Icon } from "@/ui/Icon";
import styles from "./RemovableChip.module.css";

interface RemovableChipProps {
  text: string;
  /** The accessible name, such as "Remove the tag md". */
  label: string;
  onRemove: () => void;
}

/** Something chosen or typed, which a click removes. */
export function RemovableChip({ text, label, onRemove }: RemovableChipProps) {
  return (
    <button type="button" data-printed className={styles.chip} aria-label={label} onClick={onRemove}>
      <span className={styles.text}>{text}</span>
      <Icon name="close" size={14} />
    </button>
  );
}
