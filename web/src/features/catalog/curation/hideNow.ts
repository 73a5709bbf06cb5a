import type { QueryClient } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { toast } from "@/ui/toast";
import { curate } from "./curate";
import { curateMessages as messages } from "./curate.messages";

/** Hides an entry for the usual reason, and offers to bring it back. */
export async function hideNow(client: QueryClient, { id, name }: Resource): Promise<void> {
  const failed = (error: unknown) => toast.error(messages.failed, messageOf(error));
  const bringBack = () => curate(client, id, { hidden: false }).then(() => toast.success(messages.shown, name), failed);
  await curate(client, id, { hidden: true, reason: messages.usualReason }).then(
    () => toast.success(messages.hidden, name, { label: messages.undo, onSelect: () => void bringBack() }),
    failed,
  );
}
