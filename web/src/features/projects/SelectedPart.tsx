import { useId } from "react";
import type { Resource } from "@/api/types";
import { Button } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { Icon } from "@/ui/Icon";
import { useFocusAtFirst } from "@/ui/useFocusAtFirst";
import { partMessages as messages } from "./part.messages";
import { isGone } from "./parts";
import { partsMessages } from "./parts.messages";
import styles from "./SelectedPart.module.css";

interface SelectedPartProps {
  part: Resource;
  /** It takes the focus when it appears. */
  focused: boolean;
  /** Absent for a part that stays. */
  onReset?: () => void;
}

/** The repository of a project, and the way back to the search. */
export function SelectedPart({ part, focused, onReset }: SelectedPartProps) {
  const { id, name, privacy, description, authorNames = [] } = part;
  const gone = isGone(part);
  const heading = useId();
  const reset = useFocusAtFirst<HTMLButtonElement>(focused);
  return (
    <Card tone="red" aria-labelledby={heading}>
      <div className={styles.body}>
        <h3 id={heading} className={styles.name}>
          <Icon name="branch" size={18} />
          {gone ? (
            <bdi>{name}</bdi>
          ) : (
            <a href={`/resources/repositories/${id}`} target="_blank" rel="noopener">
              <bdi>{name}</bdi>
            </a>
          )}
          {privacy === "PRIVATE" && !gone && (
            <span title={messages.private}>
              <Icon name="eyeOff" size={16} />
              <span className="visually-hidden">{messages.private}</span>
            </span>
          )}
        </h3>
        {gone && <p className={styles.description}>{partsMessages.gone}</p>}
        {description !== "" && <p className={styles.description}>{description}</p>}
        <p className={styles.author}>{authorNames[0]}</p>
      </div>
      {onReset && (
        <div className={styles.foot}>
          <Button ref={reset} size="small" onClick={onReset}>
            {messages.reset}
          </Button>
        </div>
      )}
    </Card>
  );
}
