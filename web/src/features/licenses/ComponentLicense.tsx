import type { LicensedComponent } from "@/api/types";
import { Icon } from "@/ui/Icon";
import { Link } from "@/ui/router";
import { useNamedDetails } from "@/ui/useNamedDetails";
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
  const details = useNamedDetails(anchor);

  return (
    <details ref={details} id={anchor} className={styles.component}>
      <summary className={styles.summary}>
        <Icon name="chevronDown" />
        <h3>{name}</h3>
        <span className={styles.version}>{version}</span>
        <span className={styles.kind}>{kind === "product" ? license : messages.kinds[kind]}</span>
      </summary>
      <div className={styles.body}>
        {files.map((file) => (
          <figure key={file.name} className={styles.file}>
            <figcaption>{file.name}</figcaption>
            <pre>{texts[file.text]}</pre>
          </figure>
        ))}
        <Link to={`#${encodeURIComponent(anchor)}`} replace className={styles.link}>
          {messages.link(name)}
        </Link>
      </div>
    </details>
  );
}
