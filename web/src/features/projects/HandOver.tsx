import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { Project } from "@/api/types";
import { Button } from "@/ui/Button";
import { Filled } from "@/ui/Filled";
import { FieldDialog } from "@/ui/form/FieldDialog";
import { toast } from "@/ui/toast";
import { addressRefusal } from "./memberAddress";
import { endOffer, offerProject } from "./memberCalls";
import { membersMessages as messages } from "./members.messages";
import styles from "./ProjectPage.module.css";
import { projectQuery, projectsKey } from "./queries";

/** Offers a project to another owner, and takes that back. */
export function HandOver({ project: { id, offeredTo } }: { project: Project }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const refresh = () => queries.invalidateQueries({ queryKey: projectsKey });
  const offer = useMutation({
    mutationFn: (email: string) => offerProject(id, email),
    onSuccess: async (offered) => {
      queries.setQueryData(projectQuery(id).queryKey, offered);
      setAsking(false);
      toast.success(messages.offered, offered.offeredTo);
      await refresh();
    },
  });
  const withdraw = useMutation({
    mutationFn: () => endOffer(id),
    onSuccess: () => toast.success(messages.withdrawn),
    onError: (error) => toast.error(messages.notWithdrawn, messageOf(error)),
    onSettled: refresh,
  });
  const ask = () => {
    offer.reset();
    setAsking(true);
  };
  return (
    <div className={styles.labels}>
      {offeredTo !== undefined && (
        <span>
          <Filled text={messages.offeredTo} values={{ email: <bdi>{offeredTo}</bdi> }} />
        </span>
      )}
      {/* One element in both states, so that whoever pressed it does not lose the focus when it has worked. */}
      <Button busy={withdraw.isPending} onClick={() => (offeredTo === undefined ? ask() : withdraw.mutate())}>
        {offeredTo === undefined ? messages.handOver : messages.withdraw}
      </Button>
      {asking && (
        <FieldDialog
          title={messages.handOver}
          intro={<p>{messages.handOverMeans}</p>}
          inputMode="email"
          label={messages.handOverTo}
          error={addressRefusal(offer.error)}
          submit={messages.offer}
          cancel={messages.cancel}
          busy={offer.isPending}
          onSubmit={(email) => offer.mutate(email)}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}
