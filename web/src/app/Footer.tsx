import { useConfig } from "@/api/config";
import { TextLink } from "@/ui/TextLink";
import styles from "./Footer.module.css";
import { footerMessages } from "./messages";

/** What ends every page, from the site file. */
export function Footer() {
  const { site, version } = useConfig();
  return (
    <footer className={styles.footer}>
      <div className={styles.inside}>
        <p>
          {site.footer.text} <span className={styles.version}>{version}</span>
        </p>
        <nav aria-label={footerMessages.footer}>
          <ul className={styles.links}>
            {site.footer.links.map((link) => (
              <li key={link.href}>
                <TextLink href={link.href}>{link.text}</TextLink>
              </li>
            ))}
          </ul>
        </nav>
      </div>
    </footer>
  );
}
