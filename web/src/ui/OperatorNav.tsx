import { operatorNavMessages as words } from "./OperatorNav.messages";
import styles from "./OperatorNav.module.css";
import { Link, useLocation } from "./router";

const pages = [
  { label: words.overview, to: "/operator" },
  { label: words.sessions, to: "/operator/sessions" },
  { label: words.accounts, to: "/operator/accounts" },
  { label: words.entries, to: "/operator/entries" },
  { label: words.audit, to: "/operator/audit" },
  { label: words.health, to: "/operator/health" },
];

/** The pages of operators, above the heading of each. */
export function OperatorNav() {
  const { pathname } = useLocation();
  return (
    <nav aria-label={words.label}>
      <ul className={styles.list}>
        {pages.map(({ label, to }) => (
          <li key={to}>
            <Link to={to} className={styles.item} {...(pathname === to && { "aria-current": "page" })}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
