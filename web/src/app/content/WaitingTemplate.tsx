import styles from "@/features/entry/ResourcePage.module.css";
import frame from "@/ui/NotebookFrame.module.css";
import { Page } from "@/ui/Page";
import states from "@/ui/states.module.css";

/** As high as a line, because documents have no styles in attributes. */
const bar = (
  <span className={states.skeleton}>
    <br />
  </span>
);

/** The shape of a page whose content comes with the script: a heading and some lines. */
export function WaitingTemplate() {
  return (
    <div className={frame.scripted} aria-hidden="true">
      <Page heading={bar}>
        <div className={styles.section}>
          {bar}
          {bar}
          {bar}
        </div>
      </Page>
    </div>
  );
}
