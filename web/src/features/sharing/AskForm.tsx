import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { messageOf } from "@/api/problem";
import type { ShareLevel, ShareRequest } from "@/api/types";
import { sessionsKey } from "@/features/sessions/queries";
import { Button } from "@/ui/Button";
import { FieldFrame } from "@/ui/form/Field";
import { Form } from "@/ui/form/Form";
import { toast } from "@/ui/toast";
import { ask } from "./queries";
import { requestMessages as messages } from "./requests.messages";

interface AskFormProps {
  session: string;
  kind: ShareRequest["kind"];
  /** What can be asked for, the default first. */
  levels: readonly ShareLevel[];
  levelLegend: string;
  levelTexts: Record<ShareLevel, string>;
  messageHelp: string;
  submit: string;
  /** Below what is asked for. */
  children?: (can: ShareLevel) => ReactNode;
}

/** Asks for something with a session that somebody else has to grant. */
export function AskForm(props: AskFormProps) {
  const { session, kind, levels, levelLegend, levelTexts, messageHelp, submit, children } = props;
  const queries = useQueryClient();
  const [first = "see"] = levels;
  const [chosen, setCan] = useState<ShareLevel>();
  const can = chosen !== undefined && levels.includes(chosen) ? chosen : first;
  const [message, setMessage] = useState("");
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => ask(session, kind, can, message),
    onSuccess: async () => {
      toast.success(messages.asked);
      setMessage("");
      await queries.invalidateQueries({ queryKey: sessionsKey });
    },
  });
  return (
    <Form
      failures={0}
      error={error ? `${messages.notAsked} ${messageOf(error)}` : undefined}
      onSubmit={() => !isPending && mutate()}
      actions={
        <Button type="submit" busy={isPending}>
          {submit}
        </Button>
      }
    >
      {levels.length > 1 && (
        <FieldFrame label={levelLegend}>
          {(control) => (
            <select
              {...control}
              value={can}
              onChange={({ target }) => setCan(levels.find((level) => level === target.value))}
            >
              {levels.map((level) => (
                <option key={level} value={level}>
                  {levelTexts[level]}
                </option>
              ))}
            </select>
          )}
        </FieldFrame>
      )}
      {children?.(can)}
      <FieldFrame label={messages.message} help={messageHelp}>
        {(control) => (
          <textarea
            {...control}
            rows={3}
            maxLength={2000}
            dir="auto"
            value={message}
            onChange={(event) => setMessage(event.target.value)}
          />
        )}
      </FieldFrame>
    </Form>
  );
}
