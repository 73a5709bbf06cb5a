import type { Account, Session, SessionKind } from "@/api/types";
import { type AskOperators, askOperators, notEnabled } from "./notEnabled";
import { startBlockMessages as messages } from "./startBlock.messages";
import { countsTowardsLimit } from "./statuses";

interface Known {
  account: Account | undefined;
  /** Of the operators; may be empty. */
  contact: string;
  kinds: readonly SessionKind[];
  sessions: readonly Session[] | undefined;
  limit: number;
}

/** Why no session can be started now. */
export interface StartBlock {
  reason: string;
  /** At the limit: the sessions of which one must stop first, the least recently used one first. */
  stop: Session[];
  /** Only the operators can change it: how to ask them. */
  ask?: AskOperators;
}

/** Tells beforehand what the server would refuse; undefined while nothing is known against it. The server decides. */
export function startBlock({ account, contact, kinds, sessions = [], limit }: Known): StartBlock | undefined {
  if (!kinds.some(({ available }) => available)) return { reason: kinds[0]?.reason || messages.cannotStart, stop: [] };
  const waits = notEnabled(account, contact);
  if (waits !== undefined) {
    const ask = askOperators(account, contact);
    return { reason: waits, stop: [], ...(ask && { ask }) };
  }
  const counted = sessions.filter(countsTowardsLimit);
  if (counted.length < limit) return undefined;
  const used = (session: Session) => session.lastActivityAt ?? session.createdAt;
  return { reason: messages.full(limit), stop: counted.toSorted((one, other) => (used(one) < used(other) ? -1 : 1)) };
}
