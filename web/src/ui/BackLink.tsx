import { Link } from "@/ui/router";
import { backLinkMessages as words } from "./BackLink.messages";
import styles from "./BackLink.module.css";
import { Icon } from "./Icon";

interface BackLinkProps {
  to: string;
  /** A control that goes back within the page, instead of the link. */
  onBack?: (() => void) | undefined;
}

/** The link back from a page, above its heading. */
export function BackLink({ to, onBack }: BackLinkProps) {
  return (
    <Link
      to={to}
      className={styles.back}
      onClick={(event) => {
        if (!onBack) return;
        event.preventDefault();
        onBack();
      }}
    >
      <Icon name="arrowLeft" />
      {words.back}
    </Link>
  );
}
