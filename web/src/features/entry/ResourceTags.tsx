import type { Resource } from "@/api/types";
import { catalogPath } from "@/features/catalog/filters";
import { MoreButton } from "@/features/catalog/MoreButton";
import { useFirst } from "@/features/catalog/useFirst";
import { inOrder } from "@/lib/tags";
import { Link } from "@/ui/router";
import { resourceTagsMessages } from "./ResourceTags.messages";
import styles from "./ResourceTags.module.css";

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
