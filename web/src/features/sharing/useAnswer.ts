import { useMutation, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { ShareAnswer, ShareRequest } from "@/api/types";
import { sessionsKey } from "@/features/sessions/queries";
import { toast } from "@/ui/toast";
import { answerRequest } from "./queries";
import { noteTakenBack } from "./requestState";
import { requestMessages as messages } from "./requests.messages";

/** Answers a request, and says so. */
export function useAnswer(request: ShareRequest, onAnswered?: (answer: ShareAnswer) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (answer: ShareAnswer) => answerRequest(request, answer),
    onSuccess: (_, answer) => {
      if (request.mine && !answer.granted) noteTakenBack(request);
      if (!answer.granted) toast.success(request.mine ? messages.takenBack : messages.refused);
      else if (request.kind === "enter") toast.success(messages.granted(request.name));
      onAnswered?.(answer);
    },
    onError: (error) => toast.error(request.mine ? messages.notTakenBack : messages.notAnswered, messageOf(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsKey }),
  });
}
