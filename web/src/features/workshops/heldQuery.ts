import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { firstAnswer } from "@/api/firstData";
import type { EventWorkshop } from "./types";

/** The workshops that took place as part of an event, which may be in the document. */
export function heldQuery(signedIn: boolean) {
  const path = "/api/v1/rf/workshops/of-events";
  return queryOptions({
    queryKey: ["workshops", "of-events"],
    queryFn: ({ signal }) => answer(api.GET(path, { signal })),
    ...firstAnswer<EventWorkshop[]>(path, {}, signedIn),
  });
}
