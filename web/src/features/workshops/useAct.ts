import { useMutation, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import { toast } from "@/ui/toast";
import { workshopsKey } from "./queries";

interface Words {
  done?: string;
  failed: string;
}

/** Does something with a workshop, says how that went, and brings what is shown of workshops up to date. */
export function useAct<Asked = void, Answer = unknown>(
  act: (asked: Asked) => Promise<Answer>,
  { done, failed }: Words,
  onDone?: (answer: Answer) => void,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: (answer) => {
      if (done !== undefined) toast.success(done);
      onDone?.(answer);
    },
    onError: (error) => toast.error(failed, messageOf(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: workshopsKey }),
  });
}
