import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import { patchEntry } from "@/api/patchEntry";
import { messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { toast } from "@/ui/toast";
import { deleteResourceMessages as messages } from "./DeleteResource.messages";

interface DeleteResourceProps {
  resource: Resource;
  onDeleted?: () => void;
  onClose: () => void;
}

/** Asks for the name of an entry and deletes it. Its cards disappear immediately. */
export function DeleteResource({ resource: { id, name }, onDeleted, onClose }: DeleteResourceProps) {
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => answer(api.DELETE("/api/v1/rf/resources/{id}", { params: { path: { id } } })),
    onSuccess: () => {
      patchEntry(client, id, () => undefined);
      toast.success(messages.done);
      onClose();
      onDeleted?.();
      // The entry itself stays until its page is left.
      client.invalidateQueries({ queryKey: entryKeys.all, predicate: ({ queryKey }) => !queryKey.includes(id) });
    },
    onError: (failure) => toast.error(messages.failure, messageOf(failure)),
  });

  return (
    <ConfirmByName
      title={messages.title}
      name={name}
      busy={isPending}
      error={error ? messageOf(error) : undefined}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>{messages.warning}</p>
    </ConfirmByName>
  );
}
