import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { OperatorEntry } from "@/api/types";
import { resourcePath } from "@/features/catalog/kinds";
import { TypeBadge } from "@/features/catalog/TypeBadge";
import { Ago } from "@/ui/Ago";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import rows from "@/ui/ListRow.module.css";
import type { MenuItem } from "@/ui/Menu";
import { Link } from "@/ui/router";
import { toast } from "@/ui/toast";
import { CurateActions } from "./CurateActions";
import { operatorEntriesMessages as words } from "./OperatorEntriesPage.messages";
import styles from "./OperatorEntriesPage.module.css";
import { useEntryEnd } from "./operatorEntries";
import { StatusBadge } from "./StatusBadge";

/** An entry in the operators' list: what it is, what was reported, and the decisions about it. */
export function OperatorEntryRow({ entry }: { entry: OperatorEntry }) {
  const { id, type, authors, privacy, hidden, hiddenReason, featured, createdAt, reports } = entry;
  const [deleting, setDeleting] = useState(false);
  const dismiss = useEntryEnd(id, "reports");
  const isPrivate = privacy === "PRIVATE";
  const name = isPrivate ? words.private : entry.name;
  const items: MenuItem[] = hidden
    ? [{ label: words.delete, icon: "trash", danger: true, onSelect: () => setDeleting(true) }]
    : [];
  const [author = "", ...others] = authors;
  return (
    <li className={styles.row}>
      <div className={rows.what}>
        <strong>{isPrivate ? name : <Link to={resourcePath(entry)}>{name}</Link>}</strong>
        <div className={rows.line}>
          <TypeBadge type={type} />
          <StatusBadge resource={entry} />
          {featured && <Badge tone="blue">{words.featured}</Badge>}
          <span className={rows.note}>{words.by(author, others.length)}</span>
          {createdAt !== undefined && <Ago className={rows.note} moment={createdAt} />}
        </div>
        {isPrivate && <p className={rows.note}>{words.privateDetail}</p>}
        {hidden && <p className={rows.note}>{words.hiddenFor(hiddenReason)}</p>}
        {reports.length > 0 && (
          <div className={styles.reports}>
            <ul className={styles.said}>
              {reports.map((report) => (
                <li key={report.by}>
                  <div className={rows.line}>
                    <span className={rows.note}>{words.reportedBy(report.by)}</span>
                    <Ago className={rows.note} moment={report.at} />
                  </div>
                  <p>{report.reason}</p>
                </li>
              ))}
            </ul>
            <div>
              <Button
                size="small"
                busy={dismiss.isPending}
                aria-label={words.dismissOf(name)}
                onClick={() =>
                  dismiss.mutate(undefined, {
                    onSuccess: () => toast.success(words.dismissed, name),
                    onError: (error) => toast.error(words.notChanged, messageOf(error)),
                  })
                }
              >
                {words.dismiss}
              </Button>
            </div>
          </div>
        )}
      </div>
      {(!isPrivate || hidden) && (
        <div className={styles.actions}>
          <CurateActions entry={{ ...entry, name }} size="small" items={items} />
        </div>
      )}
      {deleting && <DeleteForEver id={id} name={name} onClose={() => setDeleting(false)} />}
    </li>
  );
}

function DeleteForEver({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const { mutate, isPending } = useEntryEnd(id, "entry");
  const erase = () =>
    mutate(undefined, {
      onSuccess: () => {
        toast.success(words.deleted, name);
        onClose();
      },
      onError: (error) => toast.error(words.notChanged, messageOf(error)),
    });
  return (
    <Dialog
      title={words.deleteTitle}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button variant="danger" busy={isPending} onClick={erase}>
            {words.delete}
          </Button>
        </>
      }
    >
      <p>
        <strong>{name}</strong>
      </p>
      <p>{words.deleteMeaning}</p>
    </Dialog>
  );
}
