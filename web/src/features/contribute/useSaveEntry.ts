import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import type { Resource, ResourceType } from "@/api/types";
import { catalogPath } from "@/features/catalog/filters";
import { kindOf, resourcePath } from "@/features/catalog/kinds";
import { keptVersion } from "@/lib/keptFiles";
import { useNavigate } from "@/ui/router";
import { toast } from "@/ui/toast";
import { bodyOf, type EntryDraft, fieldsOf, type WrittenType } from "./entryDraft";
import { saveEntryMessages as messages } from "./useSaveEntry.messages";

/** Adds an entry of uploaded files; without one yet, the caller goes on. */
export type CreateEntry = (fields: ReturnType<typeof fieldsOf>) => Promise<Resource | undefined>;

/** Adds an entry, or changes the given one, and navigates to its page. The form shows why that failed. */
export function useSaveEntry(type: ResourceType, create?: CreateEntry) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const noun = kindOf(type).label;
  return useMutation({
    mutationFn: ({ draft, of }: { draft: EntryDraft; of: Resource | undefined }): Promise<Resource | undefined> => {
      if (create) return create(fieldsOf(draft));
      const body = of && keptVersion(of) ? fieldsOf(draft) : bodyOf(type as WrittenType, draft);
      if (!of) return answer(api.POST("/api/v1/rf/resources", { body: { type, ...body } }));
      const path = { id: of.id };
      return answer(
        api.PATCH("/api/v1/rf/resources/{id}", { params: { path }, body: { ...body, updatedAt: of.updatedAt } }),
      );
    },
    onSuccess: (entry, { of }) => {
      if (!entry) return;
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
