import type { Resource } from "@/api/types";
import { inOrder } from "@/lib/tags";
import { Link } from "@/ui/router";
import { catalogPath } from "./filters";
import { MoreButton } from "./MoreButton";
import { resourceTagsMessages } from "./messages";
import styles from "./ResourceTags.module.css";
import { useFirst } from "./useFirst";

const shownAtFirst = 12;

/** The tags of an entry. Each leads to all entries that have it. */
export function ResourceTags({ tags }: Pick<Resource, "tags">) {
  const { shown, long, all, toggle } = useFirst(inOrder(tags), shownAtFirst);
  if (tags.length === 0) return null;
  return (
    <div className={styles.tags}>
      <ul className={styles.list} aria-label={resourceTagsMessages.label}>
        {shown.map(({ id, value }) => (
          <li key={id}>
            <Link to={catalogPath({ tags: [value] })} dir="auto">
              {value}
            </Link>
          </li>
        ))}
      </ul>
      {long && <MoreButton total={tags.length} noun={resourceTagsMessages.noun} all={all} onToggle={toggle} />}
    </div>
  );
}
