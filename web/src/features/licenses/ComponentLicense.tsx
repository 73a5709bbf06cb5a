import type { LicensedComponent } from "@/api/types";
import { Fold } from "@/ui/Fold";
import { Link } from "@/ui/router";
import styles from "./ComponentLicense.module.css";
import { anchorOf } from "./groups";
import { componentMessages as messages } from "./messages";

interface ComponentLicenseProps {
  component: LicensedComponent;
  texts: Record<string, string>;
}

/** A part of the program: its texts are folded, but when the address leads to it. */
export function ComponentLicense({ component, texts }: ComponentLicenseProps) {
  const { name, version, kind, license, files } = component;
  const anchor = anchorOf(component);

  return (
    <Fold
      anchor={anchor}
      summaryClass={styles.summary}
      summary={
        <>
          <h3>{name}</h3>
          <span className={styles.version}>{version}</span>
          <span className={styles.kind}>{kind === "product" ? license : messages.kinds[kind]}</span>
        </>
      }
    >
      {files.map((file) => (
        <figure key={file.name} className={styles.file}>
          <figcaption>{file.name}</figcaption>
          <pre>{texts[file.text]}</pre>
        </figure>
      ))}
      <Link to={`#${encodeURIComponent(anchor)}`} replace className={styles.link}>
        {messages.link(name)}
      </Link>
    </Fold>
  );
}
