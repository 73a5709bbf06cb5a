import type { ReactNode } from "react";
import { useConfig } from "@/api/config";
import { useAuth } from "@/features/identity/useAuth";
import { isPage } from "@/lib/links";
import { escapeTag } from "@/lib/tags";
import { LinkButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { useWindowTitle } from "@/ui/Page";
import { TextLink } from "@/ui/TextLink";
import { landingMessages as messages } from "./LandingPage.messages";
import styles from "./LandingPage.module.css";
import { LandingSearch } from "./LandingSearch";
import { Picture } from "./Picture";
import { Steps } from "./Steps";
import { stepsMessages } from "./Steps.messages";

interface LandingPageProps {
  /** Leads to an entry that runs, if there is one. */
  example: ReactNode;
  /** What is in the catalog now. */
  catalog: ReactNode;
}

/** The first page. Its words and pictures come from the site file. */
export function LandingPage({ example, catalog }: LandingPageProps) {
  const { site } = useConfig();
  const { state } = useAuth();
  const { headline, text, picture, actions, features, extensions, institutions, sponsor } = site.landing;
  const heading = useWindowTitle("");
  // Signed-in users don't need this link.
  const shownActions = actions.filter((action) => action.href !== "/login" || state !== "authenticated");

  return (
    <div className={styles.page}>
      <section className={styles.hero}>
        <div className={styles.words}>
          <h1 ref={heading} tabIndex={-1}>
            {headline}
          </h1>
          <p className={styles.lead}>{text}</p>
          <LandingSearch />
          <div className={styles.actions}>
            {example}
            {shownActions.map((action) => (
              <LinkButton key={action.href} to={action.href} newTab={!isPage(action.href)}>
                {action.text}
              </LinkButton>
            ))}
          </div>
        </div>
        <Picture picture={picture} place="hero" />
      </section>

      <Section id="steps" title={stepsMessages.title} shown>
        <Steps />
      </Section>

      {catalog}

      <Section id="features" title={messages.features} shown={features.length > 0}>
        <ul className={styles.features}>
          {features.map((feature) => (
            <li key={feature.title}>
              <Picture picture={feature.picture} place="feature" />
              <div>
                <h3>{feature.title}</h3>
                <p>{feature.text}</p>
              </div>
            </li>
          ))}
        </ul>
      </Section>

      <Section id="extensions" title={messages.extensions} shown={extensions.length > 0}>
        <ul className={styles.extensions}>
          {extensions.map((extension) => (
            <li key={extension.title}>
              <Picture picture={extension.picture} place="field" />
              <div className={styles.label}>
                <h3>{extension.title}</h3>
                <p>{extension.text}</p>
                <TextLink href={`/resources?${new URLSearchParams({ tags: escapeTag(extension.tag) })}`}>
                  {messages.inCatalog(extension.title)}
                  <Icon name="arrowRight" size={16} />
                </TextLink>
              </div>
            </li>
          ))}
        </ul>
      </Section>

      <Section id="institutions" title={messages.institutions} shown={institutions.length > 0}>
        <ul className={styles.institutions}>
          {institutions.map(({ name, href, picture }) => (
            <li key={name}>
              <Picture picture={picture} place="institution" />
              {href ? <TextLink href={href}>{name}</TextLink> : name}
            </li>
          ))}
        </ul>
      </Section>

      {sponsor && (
        <Section id="sponsor" title={messages.sponsor} shown>
          <div className={styles.sponsor}>
            <h3>{messages.sponsorName(sponsor.name, sponsor.shortName)}</h3>
            <p>{sponsor.text}</p>
            <ul className={styles.grants}>
              {sponsor.grants.map((grant) => (
                <li key={grant.award}>
                  <TextLink href={grant.href}>
                    {grant.name}
                    <Icon name="external" size={15} />
                    <span className="visually-hidden">{messages.newTab}</span>
                  </TextLink>
                </li>
              ))}
            </ul>
          </div>
        </Section>
      )}
    </div>
  );
}

interface SectionProps {
  id: string;
  title: string;
  /** Whether the site file has anything for it. */
  shown: boolean;
  children: ReactNode;
}

function Section({ id, title, shown, children }: SectionProps) {
  return (
    shown && (
      <section className={styles.section} aria-labelledby={id}>
        <h2 id={id}>{title}</h2>
        {children}
      </section>
    )
  );
}
