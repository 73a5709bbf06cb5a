import { initials } from "@/lib/people";
import styles from "./Avatar.module.css";

interface AvatarProps {
  /** A name or an e-mail address. */
  of: string;
  size?: "small" | "medium";
}

/** The initials of a person whose name is beside it. */
export function Avatar({ of, size = "medium" }: AvatarProps) {
  return (
    <span className={`${styles.avatar} ${styles[size]}`} aria-hidden="true">
      {initials(of)}
    </span>
  );
}
