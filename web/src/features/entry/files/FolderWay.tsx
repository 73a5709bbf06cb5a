import { crumbsOf, shownName } from "@/lib/repositoryFiles";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { Link } from "@/ui/router";
import { folderWayMessages as messages } from "./FolderWay.messages";
import styles from "./FolderWay.module.css";
import type { useFolder } from "./useFolder";

/** Breadcrumbs from the root of the repository, and a Back button. */
export function FolderWay({ folder }: { folder: ReturnType<typeof useFolder> }) {
  const crumbs = crumbsOf(folder.path);
  return (
    <div className={styles.way}>
      <Button size="small" onClick={folder.back} unavailable={folder.back ? undefined : messages.noneBefore}>
        <Icon name="arrowLeft" size={16} />
        {messages.back}
      </Button>
      <nav aria-label={messages.label}>
        <ol className={styles.crumbs}>
          <li>
            {crumbs.length === 0 ? (
              <span aria-current="location">{messages.root}</span>
            ) : (
              <Link to={folder.root.to} state={folder.root.state}>
                {messages.root}
              </Link>
            )}
          </li>
          {crumbs.map(({ name, path }, index) => {
            const link = folder.enter(path);
            return (
              <li key={path}>
                <bdi>
                  {index === crumbs.length - 1 ? (
                    <span aria-current="location">{shownName(name)}</span>
                  ) : (
                    <Link to={link.to} state={link.state}>
                      {shownName(name)}
                    </Link>
                  )}
                </bdi>
              </li>
            );
          })}
        </ol>
      </nav>
    </div>
  );
}
