import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { Project } from "@/api/types";
import { Button } from "@/ui/Button";
import { Filled } from "@/ui/Filled";
import { Note } from "@/ui/Note";
import { useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { acceptProject, endOffer } from "./memberCalls";
import { offerMessages as messages } from "./offer.messages";
import styles from "./ProjectPage.module.css";
import { Question } from "./Question";
import { projectQuery, projectsKey } from "./queries";
import { lists } from "./useDeleteProject";

/** Tells somebody that a project is offered to them, who accepts or refuses it. */
export function Offer({ project }: { project: Project }) {
  const { id, name, ownerId, published, role } = project;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const accept = useMutation({
    mutationFn: () => acceptProject(id),
    onSuccess: async (accepted) => {
      queries.setQueryData(projectQuery(id).queryKey, accepted);
      toast.success(messages.accepted, name);
      await queries.invalidateQueries({ queryKey: projectsKey });
    },
    onError: (error) => toast.error(messages.notAccepted, messageOf(error)),
  });
  const refuse = useMutation({
    mutationFn: () => endOffer(id),
    onSuccess: async () => {
      toast.success(messages.refused, name);
      if (published || role) {
        await queries.invalidateQueries({ queryKey: projectsKey });
        return;
      }
      // It's hidden now.
      navigate("/sessions", { replace: true });
      void queries.invalidateQueries({ queryKey: projectQuery(id).queryKey, refetchType: "none" });
      await queries.invalidateQueries(lists);
    },
    onError: (error) => toast.error(messages.notRefused, messageOf(error)),
  });
  const owner = { owner: <bdi>{ownerId}</bdi> };
  return (
    <div className={styles.actions}>
      <Note kind="info" title={<Filled text={messages.title} values={owner} />}>
        <p>{messages.means}</p>
        <div className={styles.labels}>
          <Button size="small" variant="primary" busy={accept.isPending} onClick={() => setAsking(true)}>
            {messages.accept}
          </Button>
          <Button size="small" busy={refuse.isPending} onClick={() => refuse.mutate()}>
            {messages.refuse}
          </Button>
        </div>
      </Note>
      {asking && (
        <Question
          title={messages.acceptTitle}
          confirm={messages.accept}
          onConfirm={() => accept.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>{messages.acceptMeans}</p>
          <p>
            <Filled text={messages.stays} values={owner} />
          </p>
        </Question>
      )}
    </div>
  );
}
