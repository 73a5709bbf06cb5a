import type { components } from "@/api/schema";
import type { Person } from "@/api/types";
import type { Tone } from "@/ui/tone";

export type Change = "enable" | "disable" | "promote" | "demote";

type Decision = components["schemas"]["Decide-accountRequest"];

interface ChangeText {
  label: string;
  decision: Decision;
  done: string;
  /** What is asked first; a change that takes nothing away and gives no power needs no question. */
  question?: { title: string; consequence: string; danger: boolean };
}

/** What operators decide about an account, as `cairn accounts` does at the command line. */
export const changes: Record<Change, ChangeText> = {
  enable: { label: "Enable", decision: { enabled: true }, done: "Account enabled" },
  disable: {
    label: "Disable",
    decision: { enabled: false },
    done: "Account disabled",
    question: {
      title: "Disable this account",
      consequence:
        "Within ten seconds its ways into running sessions end, and the sessions are stopped. The work in them is kept. It can still browse, star and add, but starts no session until it is enabled again.",
      danger: true,
    },
  },
  promote: {
    label: "Make operator",
    decision: { enabled: true, role: "operator" },
    done: "Account is an operator now",
    question: {
      title: "Make this account an operator",
      consequence: "Operators see all accounts and decide about each of them, and may start sessions.",
      danger: false,
    },
  },
  demote: {
    label: "Take operator's rights",
    decision: { role: "user" },
    done: "Account is no operator any more",
    question: {
      title: "Take an operator's rights away",
      consequence: "It no longer sees and decides about accounts. Whether it may start sessions stays as it is.",
      danger: true,
    },
  },
};

interface PersonState {
  label: string;
  tone: Tone;
  /** What the label leaves open. */
  note: string;
}

/** Whether somebody may start sessions, and who said so. */
export function stateOf({ enabled, decided, seenAt }: Person): PersonState {
  if (enabled) return { label: "Enabled", tone: "green", note: decided ? "" : "by the rule of this server" };
  if (decided) return { label: "Disabled", tone: "grey", note: "" };
  return seenAt === undefined
    ? { label: "Not enabled", tone: "grey", note: "by the rule of this server" }
    : { label: "Waiting", tone: "purple", note: "" };
}
