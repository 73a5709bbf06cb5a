import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { catalogPath, type Filters } from "./filters";
import { kinds } from "./kinds";
import { nothingFoundMessages as messages } from "./NothingFound.messages";
import styles from "./NothingFound.module.css";

/** Says that nothing in the catalog matches, and what was searched. */
export function NothingFound({ filters: { types, tags, text } }: { filters: Filters }) {
  return (
    <Empty title={messages.title} action={<LinkButton to={catalogPath()}>{messages.all}</LinkButton>}>
      <dl className={styles.criteria}>
        {text !== "" && (
          <div>
            <dt>{messages.text}</dt>
            <dd>{text}</dd>
          </div>
        )}
        <div>
          <dt>{messages.tags}</dt>
          <dd>{messages.anyOf(tags)}</dd>
        </div>
        <div>
          <dt>{messages.types}</dt>
          <dd>{messages.anyOf(types.map((type) => kinds[type].plural))}</dd>
        </div>
      </dl>
    </Empty>
  );
}
