import type { ShareRequest } from "@/api/types";

/** What has become of somebody's own request. */
export type RequestState = "none" | "waiting" | "granted" | "refused";

/** The user's latest request of a kind, of which the newest come first. */
export const ownRequest = (requests: readonly ShareRequest[] | undefined, kind: ShareRequest["kind"]) =>
  requests?.find((one) => one.mine && one.kind === kind);

/** The ids of those that the user has taken back: the server doesn't say who answered a request to be let in. */
const takenBack = new Set<string>();

export const noteTakenBack = ({ id }: ShareRequest) => takenBack.add(id);

/** What has become of it. One that was taken back might as well never have been there. */
export function stateOf(request: ShareRequest | undefined): RequestState {
  if (!request || takenBack.has(request.id)) return "none";
  if (!request.answeredAt) return "waiting";
  if (request.granted) return "granted";
  return request.answeredBy === request.by ? "none" : "refused";
}
