import { useMutation, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { Job } from "@/api/types";
import { endJob, isLive, jobsKey } from "@/features/sessions/jobs";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { DownloadPart } from "./DownloadPart";
import type { JobFormState } from "./JobForm";
import { jobPageMessages as messages } from "./JobPage.messages";
import { undeleteJob } from "./queries";
import { nameOf, sourceOf, writeSource } from "./source";

/** What can be done with a job: stop it, or run it again, take it along, or delete it. */
export function JobActions({ job }: { job: Job }) {
  const { id, name, file, kind, parameters = {}, startedAt } = job;
  const queries = useQueryClient();
  const navigate = useNavigate();
  // All but this job itself, which isn't there any more once it's deleted.
  const refresh = () =>
    queries.invalidateQueries({ queryKey: jobsKey, predicate: ({ queryKey }) => !queryKey.includes(id) });
  const source = sourceOf(job);
  const live = isLive(job);

  const stop = useMutation({
    mutationFn: () => endJob(id),
    onError: (error) => toast.error(messages.notStopped, messageOf(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: jobsKey }),
  });
  const undelete = useMutation({
    mutationFn: () => undeleteJob(id),
    onSuccess: () => toast.success(messages.undeleted, name),
    onError: (error) => toast.error(messages.notUndeleted, messageOf(error)),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => endJob(id),
    onSuccess: () => {
      navigate("/jobs", { replace: true });
      toast.info(messages.deleted, name, { label: messages.undo, onSelect: () => undelete.mutate() });
    },
    onError: (error) => toast.error(messages.notDeleted, messageOf(error)),
    onSettled: refresh,
  });
  const again = () => {
    if (!source) return;
    const state: JobFormState = { parameters, ...(name !== nameOf(file) && { name }) };
    navigate(`/jobs/new${writeSource(source)}`, { state });
  };

  return (
    <>
      {/* One element in both states, so that whoever pressed it does not lose the focus when it has worked. */}
      {(live || source) && (
        <Button busy={live && (stop.isPending || stop.isSuccess)} onClick={live ? () => stop.mutate() : again}>
          <Icon name={live ? "close" : "play"} />
          {live ? messages.stop : messages.again}
        </Button>
      )}
      {!live && kind === "job" && startedAt !== undefined && (
        <DownloadPart id={id} part="crate.zip" name={`job-${id}.crate.zip`} title={messages.crateHelp}>
          {messages.crate}
        </DownloadPart>
      )}
      {!live && (
        <Button busy={remove.isPending} onClick={() => remove.mutate()}>
          <Icon name="trash" />
          {messages.delete}
        </Button>
      )}
    </>
  );
}
