import styles from "@/features/entry/ResourcePage.module.css";
import { classes } from "@/lib/classes";
import frame from "@/ui/NotebookFrame.module.css";
import page from "@/ui/Page.module.css";
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
    <div className={classes(frame.scripted, page.page, page.wide)} aria-hidden="true">
      <div className={classes(styles.section, page.subtitle)}>
        <h1>{bar}</h1>
        {bar}
        {bar}
        {bar}
      </div>
    </div>
  );
}
