import { useQuery } from "@tanstack/react-query";
import type { ResourceType } from "@/api/types";
import { resourcePath } from "@/features/catalog/kinds";
import { Alert } from "@/ui/Alert";
import { alikeMessages as messages } from "./Alike.messages";
import styles from "./Alike.module.css";
import { alikeQuery } from "./alike";

interface AlikeProps {
  type: ResourceType;
  name: string;
  /** The entry that has the name now. */
  id?: string | undefined;
}

/** Points out entries that a new one may repeat; nothing if there are none. */
export function Alike({ type, name, id }: AlikeProps) {
  const { data = [] } = useQuery(alikeQuery(type, name, id));
  return (
    <div role="status">
      {data.length > 0 && (
        <Alert title={messages.title}>
          {messages.text(data.length)}
          <ul className={styles.list}>
            {data.map((entry) => (
              <li key={entry.id}>
                {/* What was typed stays in this tab. */}
                <a href={resourcePath(entry)} target="_blank" rel="noopener">
                  <bdi>{entry.name}</bdi>
                </a>
              </li>
            ))}
          </ul>
        </Alert>
      )}
    </div>
  );
}
