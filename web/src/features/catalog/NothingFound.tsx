import type { SearchHint } from "@/api/types";
import { Button, LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { catalogPath, type Filters } from "./filters";
import { kinds } from "./kinds";
import { insteadMessages } from "./list/Instead.messages";
import { nothingFoundMessages as messages } from "./NothingFound.messages";
import styles from "./NothingFound.module.css";
import { runFilterMessages } from "./RunFilter.messages";

interface NothingFoundProps {
  filters: Filters;
  hint: SearchHint | undefined;
  onChange: (part: Partial<Filters>) => void;
}

/** Says that nothing in the catalog matches, what was searched, and which filter to remove. */
export function NothingFound({ filters, hint, onChange }: NothingFoundProps) {
  const { types, tags, runs, text } = filters;
  return (
    <Empty title={messages.title} action={<LinkButton to={catalogPath()}>{messages.all}</LinkButton>}>
      {hint && hint.nowhere.length > 0 && <p>{insteadMessages.nowhere(hint.nowhere)}</p>}
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
        {runs && (
          <div>
            <dt>{messages.runs}</dt>
            <dd>{messages.anyOf(runs.map((outcome) => runFilterMessages.outcomes[outcome]))}</dd>
          </div>
        )}
      </dl>
      {hint?.remove.map(({ filter, value, count }) => (
        <Button
          key={`${filter} ${value}`}
          onClick={() => onChange(filter === "type" ? { types: [] } : { tags: tags.filter((tag) => tag !== value) })}
        >
          {filter === "type" ? messages.ofAnyType(count) : messages.withoutTag(value, count)}
        </Button>
      ))}
    </Empty>
  );
}
