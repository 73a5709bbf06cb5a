import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { messageOf } from "@/api/problem";
import type { Project } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import rows from "@/ui/ListRow.module.css";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { AddMember } from "./AddMember";
import { HandOver } from "./HandOver";
import { MemberRow } from "./MemberRow";
import { removeMember } from "./memberCalls";
import { membersMessages as messages } from "./members.messages";
import { membersQuery } from "./membersQuery";
import styles from "./ProjectPage.module.css";
import { Question } from "./Question";
import { projectQuery } from "./queries";
import { lists } from "./useDeleteProject";

interface MembersProps {
  project: Project;
  /** The caller's. */
  role: NonNullable<Project["role"]>;
}

/** Who a project is shared with. Its owner adds and removes members and hands it over; members can leave. */
export function Members({ project, role }: MembersProps) {
  const { data, error, isFetching, refetch } = useQuery(membersQuery(project.id));
  const heading = useRef<HTMLHeadingElement>(null);
  const own = role === "owner";
  return (
    <section className={styles.section} aria-labelledby="members">
      <h2 ref={heading} id="members" tabIndex={-1}>
        {messages.title}
      </h2>
      {!own && <p>{messages.mine[role]}</p>}
      {!data && error && (
        <ErrorState
          title={messages.cannotLoad}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {!data && !error && (
        <SkeletonPlace label={messages.loading}>
          <Skeleton height="4em" />
        </SkeletonPlace>
      )}
      {data?.length === 0 && <p>{project.published ? messages.noneButPublished : messages.none}</p>}
      {data && data.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets.
        <ul role="list" aria-label={messages.title} className={rows.what}>
          {data.map((member) => (
            // The button that had the focus goes away with its row.
            <MemberRow
              key={member.email}
              project={project}
              member={member}
              changeable={own}
              onRemoved={() => heading.current?.focus()}
            />
          ))}
        </ul>
      )}
      <div className={styles.main}>
        {own && data && <AddMember project={project} members={data} />}
        {own ? <HandOver project={project} /> : <Leave project={project} />}
      </div>
    </section>
  );
}

function Leave({ project: { id, name, published } }: { project: Project }) {
  const { user } = useAuth();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const { mutate, isPending } = useMutation({
    mutationFn: () => removeMember(id, user?.email ?? ""),
    onSuccess: async () => {
      toast.success(messages.left, name);
      navigate("/sessions", { replace: true });
      // Its page may still be there for a moment, and mustn't ask for what is hidden now.
      void queries.invalidateQueries({ queryKey: projectQuery(id).queryKey, refetchType: "none" });
      await queries.invalidateQueries(lists);
    },
    onError: (error) => toast.error(messages.notLeft, messageOf(error)),
  });
  return (
    <div className={styles.labels}>
      <Button busy={isPending} onClick={() => setAsking(true)}>
        {messages.leave}
      </Button>
      {asking && (
        <Question
          title={messages.leave}
          confirm={messages.leave}
          danger
          onConfirm={() => mutate()}
          onClose={() => setAsking(false)}
        >
          <p>{published ? messages.leavePublished : messages.leaveMeans}</p>
        </Question>
      )}
    </div>
  );
}
