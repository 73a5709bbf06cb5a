import type { LastRun } from "@/api/types";
import { runWords } from "@/features/catalog/runWords";
import { moment } from "@/lib/format";
import { LinkButton } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { runMeaningMessages as messages } from "./RunMeaning.messages";

interface RunMeaningProps {
  run: LastRun | undefined;
  runsHere: boolean;
  onClose: () => void;
}

/** What the badge of an entry says, and what it doesn't claim. */
export function RunMeaning({ run, runsHere, onClose }: RunMeaningProps) {
  return (
    <Dialog
      title={run ? runWords(run) : messages.title}
      onClose={onClose}
      footer={
        <LinkButton to="#runs" onClick={onClose}>
          {messages.runs}
        </LinkButton>
      }
    >
      {run ? (
        <>
          {run.reason && <p>{run.reason}</p>}
          <p>{messages.meaning}</p>
          <p>
            {messages.when(moment(run.at))} {run.moved && messages.moved}
          </p>
        </>
      ) : (
        <p>{runsHere ? messages.never : messages.nowhere}</p>
      )}
    </Dialog>
  );
}
