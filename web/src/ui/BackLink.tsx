import { Link } from "react-router";
import styles from "./BackLink.module.css";
import { Icon } from "./Icon";

/** The way back from a page, above its heading. */
export function BackLink({ to }: { to: string }) {
  return (
    <Link to={to} className={styles.back}>
      <Icon name="arrowLeft" />
      Back
    </Link>
  );
}
