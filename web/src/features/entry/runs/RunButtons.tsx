import { useMutation, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { Resource, Run } from "@/api/types";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { toast } from "@/ui/toast";
import { isLive, startRun, stopRun } from "./queries";
import { runsMessages as messages } from "./Runs.messages";

interface RunButtonsProps {
  resource: Resource;
  /** The one that is shown, whose file is run again. */
  run: Run | undefined;
  onStarted: (id: string) => void;
}

/** What an entry's authors and operators can do: run it now, or stop the run that is under way. */
export function RunButtons({ resource: { id, type }, run, onStarted }: RunButtonsProps) {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: ["runs", id, "list"] });
  const start = useMutation({
    // A notebook has no other file, and a run that failed early doesn't know its file.
    mutationFn: () => startRun(id, type === "REPOSITORY" ? run?.file || undefined : undefined),
    onSuccess: async (started) => {
      await refresh();
      onStarted(started.id);
    },
    onError: (error) => toast.error(messages.notStarted, messageOf(error)),
  });
  const stop = useMutation({
    mutationFn: stopRun,
    onSuccess: refresh,
    onError: (error) => toast.error(messages.notStopped, messageOf(error)),
  });
  if (run && isLive(run)) {
    return (
      <Button size="small" busy={stop.isPending} onClick={() => stop.mutate(run)}>
        {messages.stop}
      </Button>
    );
  }
  return (
    <Button size="small" busy={start.isPending} onClick={() => start.mutate()}>
      <Icon name="sync" size={16} />
      {run ? messages.runAgain : messages.runNow}
    </Button>
  );
}
