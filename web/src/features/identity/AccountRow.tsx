import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { Person } from "@/api/types";
import { day } from "@/lib/format";
import { Avatar } from "@/ui/Avatar";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Icon } from "@/ui/Icon";
import { Menu } from "@/ui/Menu";
import { toast } from "@/ui/toast";
import { accountRowMessages as words } from "./AccountRow.messages";
import styles from "./AccountRow.module.css";
import { type Change, changes, stateOf } from "./accountChanges";
import { useDecide } from "./useDecide";

interface AccountRowProps {
  person: Person;
  /** It is the viewer's own account; they can't take their own rights away. */
  own: boolean;
}

/** An account in the list of all: its owner, its rights, and the decisions about it. */
export function AccountRow({ person, own }: AccountRowProps) {
  const { email, enabled, role, seenAt } = person;
  // Some providers send the address instead of a name.
  const name = person.name === email ? "" : person.name;
  const state = stateOf(person);
  const [asking, setAsking] = useState<Change>();
  const { mutate, isPending } = useDecide();
  const carryOut = (change: Change) => {
    setAsking(undefined);
    mutate({ email, change }, { onError: (error) => toast.error(words.failed, messageOf(error)) });
  };
  const start = (change: Change) => (changes[change].question ? setAsking(change) : carryOut(change));
  const toggle: Change = enabled ? "disable" : "enable";
  const power: Change = role === "operator" ? "demote" : "promote";
  const notes = [state.note, seenAt === undefined ? words.neverSignedIn : words.since(day(seenAt))].filter(Boolean);

  return (
    <li className={styles.row}>
      <Avatar of={name || email} />
      <div className={styles.who}>
        <strong>{name || <Email>{email}</Email>}</strong>
        {name !== "" && (
          <span className={styles.email}>
            <Email>{email}</Email>
          </span>
        )}
      </div>
      <div className={styles.state}>
        <Badge tone={state.tone}>{state.label}</Badge>
        {role === "operator" && <Badge tone="blue">{words.operator}</Badge>}
        <span className={styles.note}>{notes.join(", ")}</span>
      </div>
      <div className={styles.actions}>
        {own ? (
          <span className={styles.note}>{words.own}</span>
        ) : (
          <>
            <Button
              size="small"
              variant={state.waiting ? "primary" : "secondary"}
              busy={isPending}
              aria-label={words.action(changes[toggle].label, email)}
              onClick={() => start(toggle)}
            >
              {changes[toggle].label}
            </Button>
            <Menu
              label={words.more(email)}
              items={[{ label: changes[power].label, icon: "people", onSelect: () => start(power) }]}
            >
              <Icon name="more" />
            </Menu>
          </>
        )}
      </div>
      {asking && (
        <Question
          change={asking}
          email={email}
          onConfirm={() => carryOut(asking)}
          onClose={() => setAsking(undefined)}
        />
      )}
    </li>
  );
}

/** It breaks before its @ if there is no room. */
function Email({ children }: { children: string }) {
  const at = children.lastIndexOf("@");
  return (
    <>
      {children.slice(0, at)}
      <wbr />
      {children.slice(at)}
    </>
  );
}

interface QuestionProps {
  change: Change;
  email: string;
  onConfirm: () => void;
  onClose: () => void;
}

function Question({ change, email, onConfirm, onClose }: QuestionProps) {
  const { label, question } = changes[change];
  return (
    <Dialog
      title={question?.title ?? label}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button variant={question?.danger ? "danger" : "primary"} onClick={onConfirm}>
            {label}
          </Button>
        </>
      }
    >
      <p className={styles.email}>
        <strong>{email}</strong>
      </p>
      <p>{question?.consequence}</p>
    </Dialog>
  );
}
