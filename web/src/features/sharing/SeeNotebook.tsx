import type { SessionView } from "@/api/types";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import { Choice } from "@/ui/form/Field";
import rows from "@/ui/ListRow.module.css";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { LineChoice } from "@/ui/list/LineChoice";
import { LookCells } from "./LookCells";
import { seeMessages as messages } from "./see.messages";
import { notebooksOf } from "./view";

interface SeeNotebookProps {
  view: SessionView;
  /** The path of the notebook that was chosen; "" to follow. */
  chosen: string;
  /** Still that of another one. */
  old: boolean;
  onChoose: (path: string) => void;
}

/** A notebook as it is executed: the one in which somebody works, or one that was chosen. */
export function SeeNotebook({ view, chosen, old, onChoose }: SeeNotebookProps) {
  const { notebook } = view;
  const path = chosen || (notebook?.path ?? "");
  const paths = notebooksOf(view);
  const known = path === "" || paths.includes(path) ? paths : [path, ...paths];
  const following = chosen === "";
  return (
    <section className={projectStyles.section} aria-labelledby="notebook">
      <h2 id="notebook">{messages.notebook}</h2>
      <Choice
        type="checkbox"
        role="switch"
        label={messages.follow}
        help={messages.followHelp}
        checked={following}
        onChange={() => onChoose(following ? path : "")}
      />
      {known.length > 0 && (
        <div>
          <LineChoice
            lead={messages.choose}
            label={messages.choose}
            value={path}
            options={Object.fromEntries(known.map((one) => [one, one]))}
            onChange={onChoose}
          />
        </div>
      )}
      {old ? (
        <SkeletonPlace label={messages.notebookLoading}>
          <Skeleton height="12em" />
        </SkeletonPlace>
      ) : notebook ? (
        <>
          {notebook.cut && <p className={rows.note}>{messages.cutNotebook}</p>}
          {notebook.cells.length === 0 && !notebook.cut && <p className={rows.note}>{messages.emptyNotebook}</p>}
          <LookCells key={notebook.path} cells={notebook.cells} following={following} />
        </>
      ) : (
        <p>{chosen === "" ? messages.noNotebook : messages.noSuchNotebook(chosen)}</p>
      )}
    </section>
  );
}
