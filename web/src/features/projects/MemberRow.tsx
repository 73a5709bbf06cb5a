import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { Member, Project } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { day } from "@/lib/format";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import rows from "@/ui/ListRow.module.css";
import { LineChoice } from "@/ui/list/LineChoice";
import { toast } from "@/ui/toast";
import { removeMember, setMember } from "./memberCalls";
import { membersMessages as messages } from "./members.messages";
import { membersQuery } from "./membersQuery";
import { Question } from "./Question";

interface MemberRowProps {
  project: Project;
  member: Member;
  /** For the owner. */
  changeable: boolean;
  onRemoved: () => void;
}

/** A member in the list: the role, since when, and what the owner can do about it. */
export function MemberRow({ project, member, changeable, onRemoved }: MemberRowProps) {
  const { email, role, since } = member;
  const { user } = useAuth();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const refresh = () => queries.invalidateQueries({ queryKey: membersQuery(project.id).queryKey });
  const change = useMutation({
    mutationFn: (wanted: Member["role"]) => setMember(project.id, email, wanted),
    onSuccess: (changed) => toast.success(messages.changed, messages.nowIs(email, messages.roles[changed.role])),
    onError: (error) => toast.error(messages.notChanged, messageOf(error)),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => removeMember(project.id, email),
    onSuccess: () => {
      toast.success(messages.removed, email);
      onRemoved();
    },
    onError: (error) => toast.error(messages.notRemoved, messageOf(error)),
    onSettled: refresh,
  });
  return (
    <li className={rows.row}>
      <div className={rows.what}>
        <strong>
          <bdi>{email}</bdi>
        </strong>
        <div className={rows.line}>
          {user?.email.toLowerCase() === email && <Badge tone="blue">{messages.you}</Badge>}
          {changeable ? (
            <LineChoice
              lead=""
              label={messages.roleOf(email)}
              value={change.isPending ? change.variables : role}
              options={messages.roles}
              onChange={(wanted) => change.mutate(wanted)}
            />
          ) : (
            <Badge tone="grey">{messages.roles[role]}</Badge>
          )}
          <span className={rows.note}>
            <time dateTime={since}>{messages.since(day(since))}</time>
          </span>
        </div>
      </div>
      {changeable && (
        <Button
          size="small"
          busy={remove.isPending}
          aria-label={messages.removeOne(email)}
          onClick={() => setAsking(true)}
        >
          {messages.remove}
        </Button>
      )}
      {asking && (
        <Question
          title={messages.removeTitle}
          confirm={messages.remove}
          danger
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          <p className={rows.what}>
            <strong>{email}</strong>
          </p>
          <p>{project.published ? messages.removeFromPublished : messages.removeMeans}</p>
        </Question>
      )}
    </li>
  );
}
