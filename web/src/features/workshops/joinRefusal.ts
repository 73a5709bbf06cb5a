import { Problem } from "@/api/problem";

/** Why somebody couldn't take a seat, or come back to one. */
export type Refusal =
  | { kind: "code" }
  /** Until then no further try is taken. */
  | { kind: "later"; seconds: number }
  /** What is said of the workshop has changed since. */
  | { kind: "changed" }
  | { kind: "gone" }
  | { kind: "other" };

/** How long to wait if the server doesn't say. */
const pause = 15;

/** What a failed call says, by its code. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Problem)) return { kind: "other" };
  const { status, code, retryAfter } = error;
  if (status === 429) return { kind: "later", seconds: Math.max(1, retryAfter ?? pause) };
  switch (code) {
    case "wrong_code":
      return { kind: "code" };
    case "workshop_not_open":
    case "workshop_full":
    case "workshop_ended":
      return { kind: "changed" };
    case "work_gone":
      return { kind: "gone" };
    default:
      return { kind: "other" };
  }
}
