import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { catalogPath, type Filters } from "./filters";
import { kinds } from "./kinds";
import styles from "./NothingFound.module.css";

/** Nothing in the catalog matches, and what was looked for. */
export function NothingFound({ filters: { types, tags, text } }: { filters: Filters }) {
  return (
    <Empty
      title="No resources found with the following criteria"
      action={<LinkButton to={catalogPath()}>Show the whole catalog</LinkButton>}
    >
      <dl className={styles.criteria}>
        {text !== "" && (
          <div>
            <dt>Text</dt>
            <dd>{text}</dd>
          </div>
        )}
        <div>
          <dt>Tags</dt>
          <dd>{tags.length === 0 ? "any" : tags.join(", ")}</dd>
        </div>
        <div>
          <dt>Types</dt>
          <dd>{types.length === 0 ? "any" : types.map((type) => kinds[type].plural).join(", ")}</dd>
        </div>
      </dl>
    </Empty>
  );
}
