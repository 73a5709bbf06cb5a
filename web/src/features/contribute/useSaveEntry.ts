import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import type { Resource } from "@/api/types";
import { catalogPath } from "@/features/catalog/filters";
import { kindOf, resourcePath } from "@/features/catalog/kinds";
import { useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { bodyOf, type EntryDraft, type WrittenType } from "./entryDraft";
import { saveEntryMessages as messages } from "./useSaveEntry.messages";

/** Adds an entry, or changes the given one, and navigates to its page. The form shows why that failed. */
export function useSaveEntry(type: WrittenType) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const noun = kindOf(type).label;
  return useMutation({
    mutationFn: ({ draft, of }: { draft: EntryDraft; of: Resource | undefined }) => {
      const body = bodyOf(type, draft);
      if (!of) return answer(api.POST("/api/v1/rf/resources", { body: { type, ...body } }));
      const path = { id: of.id };
      return answer(
        api.PATCH("/api/v1/rf/resources/{id}", { params: { path }, body: { ...body, updatedAt: of.updatedAt } }),
      );
    },
    onSuccess: (entry, { of }) => {
      toast.success(messages.done, (of ? messages.saved : messages.created)(noun));
      // Answers to writes have no address of a frame: their notebookPath is what was entered.
      client.setQueryData(entryKeys.one(entry.id), { ...entry, notebookSource: entry.notebookPath });
      // Lists, tags and projects may show it.
      void client.invalidateQueries();
      // People who removed themselves from a private entry can't see it anymore.
      const seen = entry.privacy === "PUBLIC" || entry.canEdit;
      navigate(seen ? resourcePath(entry) : catalogPath(), { replace: of !== undefined });
    },
  });
}
