import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import { toast } from "@/ui/toast";
import { deleteSession, deleteSessions, sessionsKey } from "./queries";
import { deleteMessages as messages } from "./useDeleteSessions.messages";

/**
 * Deletes one session, or all of them. `hidden` holds those under way: their cards vanish at once, whatever the polls
 * say meanwhile, and those that were not deleted come back; so do those that `show` is called with.
 */
export function useDeleteSessions() {
  const queries = useQueryClient();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const hide = (ids: string[]) => setHidden((all) => new Set([...all, ...ids]));
  const show = (ids: string[]) => setHidden((all) => new Set([...all].filter((id) => !ids.includes(id))));
  const onSettled = () => queries.invalidateQueries({ queryKey: sessionsKey });

  const one = useMutation({
    mutationFn: deleteSession,
    onMutate: (id) => hide([id]),
    onSuccess: () => toast.success(messages.deleted),
    onError: (error, id) => {
      show([id]);
      toast.error(messages.cannotDelete, messageOf(error));
    },
    onSettled,
  });
  const all = useMutation({
    mutationFn: (ids: string[]) => deleteSessions(ids, show),
    onMutate: hide,
    onSuccess: () => toast.success(messages.allDeleted),
    onError: (error) => toast.error(messages.error, messages.cannotDeleteAll(messageOf(error))),
    onSettled,
  });
  return { hidden, deleteOne: one.mutate, deleteAll: all.mutate, show };
}
