import type { components } from "@/api/schema";
import type { Person } from "@/api/types";
import type { Tone } from "@/ui/tone";
import { accountChangeMessages, accountStateMessages as states } from "./accountChanges.messages";

export type Change = "enable" | "disable" | "promote" | "demote";

type Decision = components["schemas"]["Decide-accountRequest"];

interface ChangeText {
  label: string;
  decision: Decision;
  done: string;
  /** Whether to ask for confirmation: a change that neither revokes nor grants rights doesn't need it. */
  question?: { title: string; consequence: string; danger: boolean };
}

const { enable, disable, promote, demote } = accountChangeMessages;

/** What operators decide about an account, as `cairn accounts` does at the command line. */
export const changes: Record<Change, ChangeText> = {
  enable: { ...enable, decision: { enabled: true } },
  disable: { ...disable, decision: { enabled: false }, question: { ...disable.question, danger: true } },
  promote: {
    ...promote,
    decision: { enabled: true, role: "operator" },
    question: { ...promote.question, danger: false },
  },
  demote: { ...demote, decision: { role: "user" }, question: { ...demote.question, danger: true } },
};

interface PersonState {
  label: string;
  tone: Tone;
  /** Details that the label leaves out. */
  note: string;
  /** An operator has to decide. */
  waiting: boolean;
}

/** Whether somebody may start sessions, and who said so. */
export function stateOf({ enabled, decided, seenAt }: Person): PersonState {
  const waiting = !enabled && !decided && seenAt !== undefined;
  const note = decided || waiting ? "" : states.byRule;
  if (enabled) return { label: states.enabled, tone: "green", note, waiting };
  if (waiting) return { label: states.waiting, tone: "purple", note, waiting };
  return { label: decided ? states.disabled : states.notEnabled, tone: "grey", note, waiting };
}
