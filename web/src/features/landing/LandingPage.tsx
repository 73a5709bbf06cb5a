import type { ReactNode } from "react";
import { useConfig } from "@/api/config";
import { useAuth } from "@/features/identity/useAuth";
import { isPage } from "@/lib/links";
import { escapeTag } from "@/lib/tags";
import { LinkButton } from "@/ui/Button";
import { useWindowTitle } from "@/ui/Page";
import { TextLink } from "@/ui/TextLink";
import { Illustration } from "./Illustration";
import styles from "./LandingPage.module.css";
import { landingMessages as messages } from "./messages";

interface LandingPageProps {
  /** What is in the catalog now. */
  catalog: ReactNode;
}

/** The first page. Its words come from the site file. */
export function LandingPage({ catalog }: LandingPageProps) {
  const { site } = useConfig();
  const { state } = useAuth();
  const { headline, text, actions, features, extensions, institutions, sponsor } = site.landing;
  const heading = useWindowTitle("");
  // Who is signed in needs no way there.
  const shownActions = actions.filter((action) => action.href !== "/login" || state !== "authenticated");

  return (
    <div className={styles.page}>
      <section className={styles.hero}>
        <div className={styles.words}>
          <h1 ref={heading} tabIndex={-1}>
            {headline}
          </h1>
          <p className={styles.lead}>{text}</p>
          <div className={styles.actions}>
            {shownActions.map((action, index) => (
              <LinkButton
                key={action.href}
                to={action.href}
                variant={index === 0 ? "primary" : "secondary"}
                newTab={!isPage(action.href)}
              >
                {action.text}
              </LinkButton>
            ))}
          </div>
        </div>
        <Illustration />
      </section>

      {catalog}

      {features.length > 0 && (
        <section className={styles.section} aria-labelledby="features">
          <h2 id="features">{messages.features}</h2>
          <ul className={styles.features}>
            {features.map((feature) => (
              <li key={feature.title}>
                <h3>{feature.title}</h3>
                <p>{feature.text}</p>
              </li>
            ))}
          </ul>
        </section>
      )}

      {extensions.length > 0 && (
        <section className={styles.section} aria-labelledby="extensions">
          <h2 id="extensions">{messages.extensions}</h2>
          <ul className={styles.extensions}>
            {extensions.map((extension) => (
              <li key={extension.title}>
                <h3>{extension.title}</h3>
                <p>{extension.text}</p>
                <TextLink href={`/resources?${new URLSearchParams({ tags: escapeTag(extension.tag) })}`}>
                  {messages.inCatalog(extension.title)}
                </TextLink>
              </li>
            ))}
          </ul>
        </section>
      )}

      {institutions.length > 0 && (
        <section className={styles.section} aria-labelledby="institutions">
          <h2 id="institutions">{messages.institutions}</h2>
          <ul className={styles.institutions}>
            {institutions.map((institution) => (
              <li key={institution}>{institution}</li>
            ))}
          </ul>
        </section>
      )}

      {sponsor && (
        <section className={styles.section} aria-labelledby="sponsor">
          <h2 id="sponsor">{messages.sponsor(sponsor.name, sponsor.shortName)}</h2>
          <p>{sponsor.text}</p>
          <ul className={styles.grants}>
            {sponsor.grants.map((grant) => (
              <li key={grant.award}>
                <TextLink href={grant.href}>{grant.name}</TextLink>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
