import { useConfig } from "@/api/config";
import { Mark } from "@/ui/Mark";
import { TextLink } from "@/ui/TextLink";
import { footerMessages as messages } from "./Footer.messages";
import styles from "./Footer.module.css";

/** The footer of every page: brand and columns of links from the site file, the contact, and the version. */
export function Footer() {
  const { site, version, accounts } = useConfig();
  const { text, columns } = site.footer;
  return (
    <footer className={styles.footer}>
      <div className={styles.inside}>
        <div className={styles.brand}>
          <p className={styles.name}>
            <Mark size={24} />
            {site.brand.name}
          </p>
          <p>{site.brand.tagline}</p>
          {accounts.contact && (
            <p>
              {messages.contact} <Contact to={accounts.contact} />
            </p>
          )}
        </div>
        <nav aria-label={messages.footer} className={styles.columns}>
          {columns.map(({ title, links }) => (
            <div key={title}>
              <h2 className={styles.title}>{title}</h2>
              <ul className={styles.links}>
                {links.map((link) => (
                  <li key={link.href}>
                    <TextLink href={link.href}>{link.text}</TextLink>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        <p className={styles.end}>
          {text}
          <span className={styles.version}>{messages.version(version)}</span>
        </p>
      </div>
    </footer>
  );
}

/** The contact may be an e-mail address, a web address or text. */
function Contact({ to }: { to: string }) {
  if (/^https:\/\/\S+$/.test(to)) return <TextLink href={to}>{to}</TextLink>;
  if (/^[^\s@]+@[^\s@]+$/.test(to)) return <a href={`mailto:${to}`}>{to}</a>;
  return to;
}
