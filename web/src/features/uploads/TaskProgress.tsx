import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { isNotFound, messageOf } from "@/api/problem";
import { fileSize } from "@/lib/measures";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { ProgressState } from "@/ui/ProgressState";
import { cancelTask, taskQuery } from "./queries";
import type { UploadTask } from "./shapes";
import { taskProgressMessages as messages, type TaskWords } from "./TaskProgress.messages";

interface TaskProgressProps {
  task: UploadTask;
  onDone: (task: UploadTask) => void;
  /** It was cancelled, or failed and is to be tried again. */
  onBack: () => void;
  /** What is said of files that aren't uploads. */
  words?: TaskWords;
}

/** How far the server is in making an entry or a version of files. */
export function TaskProgress({ task: first, onDone, onBack, words = messages }: TaskProgressProps) {
  const { data: task, error } = useQuery(taskQuery(first));
  const cancel = useMutation({ mutationFn: () => cancelTask(first.id), onSuccess: onBack });
  const done = useRef(onDone);
  useEffect(() => {
    done.current = onDone;
  });
  const { state, files, bytes, totalBytes, problem } = task;
  useEffect(() => {
    if (state === "DONE") done.current(task);
  }, [state, task]);

  if (state === "FAILED" || isNotFound(error)) {
    const reason = problem?.detail;
    return (
      <ErrorState title={messages.failed} message={reason === undefined ? messages.gone : words.kept(reason)}>
        <Button onClick={onBack}>{messages.back}</Button>
      </ErrorState>
    );
  }
  return (
    <div className="up-part">
      <ProgressState
        title={state === "WAITING" ? words.waiting : words.working}
        message={error ? messages.lost : messages.done(files, fileSize(bytes), fileSize(totalBytes))}
        label={words.bar}
        percent={totalBytes > 0 ? Math.floor((100 * bytes) / totalBytes) : undefined}
      />
      {state !== "DONE" && (
        <div className="up-bar">
          <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
            {messages.cancel}
          </Button>
          {cancel.error && (
            <span className="up-failed" role="alert">
              {messageOf(cancel.error)}
            </span>
          )}
        </div>
      )}
    </div>
  );
}
