import type { Job } from "@/api/types";
import { isLive, sentenceOf } from "@/features/sessions/jobs";
import { Note } from "@/ui/Note";
import { ProgressState } from "@/ui/ProgressState";
import { jobPageMessages as messages } from "./JobPage.messages";
import { jobWordsMessages } from "./jobWords.messages";

/** How far a job is, or how it ended and why. */
export function JobState({ job }: { job: Job }) {
  const { state, cells, reason, session } = job;
  if (isLive(job)) {
    const counted = state === "RUNNING" && cells.total > 0;
    return (
      <ProgressState
        title={jobWordsMessages.states[state]}
        message={
          state === "RUNNING" ? sentenceOf(job) : reason || (session === "" ? messages.waiting : messages.preparing)
        }
        label={messages.progress}
        percent={counted ? (100 * cells.done) / cells.total : undefined}
      />
    );
  }
  if (state !== "FAILED") return <p role="status">{sentenceOf(job)}</p>;
  return (
    <Note kind="error" role="status">
      <p>{reason || messages.unknownFailure}</p>
      {cells.failedAt !== undefined && (
        <p>
          <a href={`#cell-${cells.failedAt}`}>{messages.seeCell}</a>
        </p>
      )}
    </Note>
  );
}
