import { useEffect, useRef } from "react";
import type { ShareRequest } from "@/api/types";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import { Button } from "@/ui/Button";
import { Note } from "@/ui/Note";
import { requestMessages as messages } from "./requests.messages";
import { useAnswer } from "./useAnswer";

/** Whoever has asked within so many milliseconds pressed a button that is gone now. */
const justNow = 10_000;

/** A request of the user's that nobody has answered, which they can take back. */
export function OwnRequest({ request, text }: { request: ShareRequest; text: string }) {
  const { createdAt, message } = request;
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const asked = Date.now() - new Date(createdAt).getTime() < justNow;
    if (asked && document.activeElement === document.body) button.current?.focus();
  }, [createdAt]);
  // The button goes away with the request.
  const answer = useAnswer(request, () =>
    button.current?.closest("section, dialog, main")?.querySelector<HTMLElement>("h1, h2, h3")?.focus(),
  );
  return (
    <Note kind="info" role="status" title={text}>
      {message && <p dir="auto">{message}</p>}
      <div className={projectStyles.labels}>
        <Button ref={button} size="small" busy={answer.isPending} onClick={() => answer.mutate({ granted: false })}>
          {messages.takeBack}
        </Button>
      </div>
    </Note>
  );
}
