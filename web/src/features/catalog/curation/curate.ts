import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { entryKeys } from "@/api/entries";
import { patchEntry } from "@/api/patchEntry";
import { messageOf } from "@/api/problem";
import type { OperatorEntry } from "@/api/types";
import { toast } from "@/ui/toast";
import { curateMessages as messages } from "./curate.messages";

/** The query keys of operators' lists of entries begin with it. */
export const operatorEntriesKey = ["operator", "entries"] as const;

/** What an operator decides about an entry. To hide one needs a reason. */
export interface Decision {
  hidden?: boolean;
  reason?: string;
  featured?: boolean;
  status?: "VERIFIED" | "REJECTED" | "NONE";
}

/** Carries out a decision, and shows it wherever the entry is shown. */
export async function curate(client: QueryClient, id: string, decision: Decision): Promise<OperatorEntry> {
  const params = { path: { id } };
  const decided = await answer(api.PATCH("/api/v1/rf/operator/entries/{id}", { params, body: decision }));
  const { hidden, hiddenReason, featured, status } = decided;
  patchEntry(client, id, (entry) => ({ ...entry, hidden, hiddenReason, featured, status }));
  void client.invalidateQueries({ queryKey: entryKeys.all });
  void client.invalidateQueries({ queryKey: operatorEntriesKey });
  return decided;
}

/** Carries out decisions about an entry, and says what was done. */
export function useCurate(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (decision: Decision) => curate(client, id, decision),
    onSuccess: (entry, decision) => toast.success(doneOf(decision), entry.name),
    onError: (error) => toast.error(messages.failed, messageOf(error)),
  });
}

function doneOf({ hidden, featured, status }: Decision): string {
  if (hidden !== undefined) return hidden ? messages.hidden : messages.shown;
  if (featured !== undefined) return featured ? messages.featured : messages.unfeatured;
  if (status === "NONE") return messages.unverified;
  return status === "VERIFIED" ? messages.verified : messages.rejected;
}
