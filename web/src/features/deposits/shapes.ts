import type { ProblemCode, Schemas } from "@/api/types";

/** A version of an entry at an archive. */
export type Deposit = Schemas["Deposit"];
export type DepositState = Deposit["state"];

/** A place for deposits. */
export type Archive = Schemas["Archive"];

/** Why a deposit waits or has failed; `detail` is for people alone. */
export interface DepositProblem {
  code: ProblemCode;
  detail: string;
}
