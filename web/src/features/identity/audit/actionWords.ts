import type { AuditRecord } from "@/api/types";
import { actionMessages, decisionMessages } from "./actions.messages";

/** What a record says was done, between who it was and what it was done to: of a decision, what was decided. */
export function actionWords({ action, changes }: Pick<AuditRecord, "action" | "changes">): string {
  const decided = Object.entries(changes).flatMap(([field, { new: now }]) => {
    const words = decisionMessages[`${action} ${field}`]?.[String(now)];
    return words === undefined ? [] : [words];
  });
  return decided.length > 0 ? decided.join(" and ") : (actionMessages[action] ?? action);
}
