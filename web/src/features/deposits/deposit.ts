import { Problem } from "@/api/problem";
import type { ProblemCode } from "@/api/types";
import type { Archive, Deposit } from "./shapes";

/** Whether servers work on it. */
export const isUnderWay = ({ state }: Deposit): boolean => state === "UPLOADING" || state === "PUBLISHING";

/** Whether somebody has begun it: they alone can go on with it. */
export const isOf = ({ by }: Deposit, email: string | undefined): boolean =>
  email !== undefined && by.toLowerCase() === email.toLowerCase();

/** Whether somebody can discard it: also any author, once whoever has begun it is none. */
export function isDiscardable(deposit: Deposit, email: string | undefined, authors: string[]): boolean {
  if (deposit.state === "PUBLISHING" || deposit.state === "PUBLISHED") return false;
  return isOf(deposit, email) || !authors.some((author) => isOf(deposit, author));
}

/** How much of it has arrived, from 0 to 100; undefined while that isn't known. */
export function percentOf({ state, progress: { bytes, totalBytes } }: Deposit): number | undefined {
  if (state !== "UPLOADING" || totalBytes === 0) return undefined;
  return Math.min(100, Math.floor((100 * bytes) / totalBytes));
}

/** The deposits of a version; undefined: of the only one that an entry has. */
export const depositsOf = (deposits: Deposit[], version: number | undefined): Deposit[] =>
  deposits.filter((one) => version === undefined || one.version === version);

/** The archives that don't have a version yet. */
export function archivesWithout(archives: Archive[], deposits: Deposit[], version: number | undefined): Archive[] {
  const there = new Set(depositsOf(deposits, version).map(({ at }) => at));
  return archives.filter(({ name }) => !there.has(name));
}

/** What people call an archive. */
export const labelOf = (archives: Archive[], at: string): string =>
  archives.find(({ name }) => name === at)?.label ?? at;

/** A list with a deposit as it is now, which is the newest if it isn't in it. */
export function withDeposit(deposits: Deposit[], changed: Deposit): Deposit[] {
  const isKnown = deposits.some(({ id }) => id === changed.id);
  return isKnown ? deposits.map((one) => (one.id === changed.id ? changed : one)) : [changed, ...deposits];
}

/** What is being tried when a call is refused. */
export type Step = "begin" | "publish" | "retry" | "discard";

/** What helps against a refusal, or a failure: its sentence, and the page on which to do it. */
export type Help = "connect" | "license" | "edit" | "author" | "enable" | "other" | "begun" | "changed" | "later";

/** The pages on which something can be done. */
export function helpPage(help: Help | undefined): "connections" | "edit" | undefined {
  if (help === "connect") return "connections";
  return help === "license" || help === "edit" ? "edit" : undefined;
}

const helps = new Map<ProblemCode, Help>([
  ["not_connected", "connect"],
  ["not_author", "author"],
  ["not_enabled", "enable"],
  ["forbidden", "begun"],
  ["not_found", "changed"],
  ["gone", "changed"],
  ["version_withdrawn", "changed"],
  ["invalid", "edit"],
  ["unavailable", "later"],
  ["bad_upstream", "later"],
  ["database_unavailable", "later"],
]);

/** What helps against what a code says; undefined where the sentence that comes with it has to do. */
export const helpFor = (code: ProblemCode | undefined): Help | undefined =>
  code === undefined ? undefined : helps.get(code);

/** What helps when a call was refused. */
export function helpAgainst(error: unknown, step: Step): Help | undefined {
  if (!(error instanceof Problem)) return undefined;
  if (error.code === "conflict") return step === "begin" ? "other" : "changed";
  if (error.code === "invalid" && error.fields.some(({ location }) => location === "license")) return "license";
  return helpFor(error.code);
}
