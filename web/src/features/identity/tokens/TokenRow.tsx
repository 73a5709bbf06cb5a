import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { AccessToken } from "@/api/types";
import { day } from "@/lib/format";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import styles from "@/ui/ListRow.module.css";
import { toast } from "@/ui/toast";
import { scopeMessages } from "./scopes.messages";
import { tokenRowMessages as words } from "./TokenRow.messages";
import { useRevokeToken } from "./tokenQueries";

/** An access token in the list: what it may do, since when and until when, and its revocation. */
export function TokenRow({ token }: { token: AccessToken }) {
  const { id, name, scopes, createdAt, expiresAt, expired, lastUsedAt } = token;
  const [asking, setAsking] = useState(false);
  const { mutate, isPending } = useRevokeToken();
  const facts = [
    words.created(day(createdAt)),
    expired ? words.ended(day(expiresAt)) : words.expires(day(expiresAt)),
    lastUsedAt === undefined ? words.unused : words.used(day(lastUsedAt)),
  ];
  const revoke = () => {
    setAsking(false);
    mutate(id, {
      onSuccess: () => toast.success(words.revoked, name),
      onError: (error) => toast.error(words.failed, messageOf(error)),
    });
  };
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <strong>{name}</strong>
        <div className={styles.line}>
          {expired && <Badge tone="red">{words.expired}</Badge>}
          {scopes.map((scope) => (
            <Badge key={scope} tone="blue">
              {scopeMessages[scope].label}
            </Badge>
          ))}
        </div>
        <span className={styles.note}>{facts.join(", ")}</span>
      </div>
      <Button size="small" busy={isPending} aria-label={words.revokeOne(name)} onClick={() => setAsking(true)}>
        {words.revoke}
      </Button>
      {asking && (
        <Dialog
          title={words.question}
          onClose={() => setAsking(false)}
          footer={
            <>
              <Button onClick={() => setAsking(false)}>{words.cancel}</Button>
              <Button variant="danger" onClick={revoke}>
                {words.revoke}
              </Button>
            </>
          }
        >
          <p className={styles.what}>
            <strong>{name}</strong>
          </p>
          <p>{expired ? words.remove : words.consequence}</p>
        </Dialog>
      )}
    </li>
  );
}
