import createClient from "openapi-fetch";
import type { paths } from "./schema";
import { transport } from "./transport";

/** The calls of the gateway, typed by its contract. Use it through answer(). */
export const api = createClient<paths>({ fetch: transport });

/** The value that a call answered with. A call that failed throws its Problem. */
export async function answer<T>(call: Promise<{ data?: T }>): Promise<T> {
  // The transport throws for every answer that is no success, so there is a value.
  return (await call).data as T;
}
