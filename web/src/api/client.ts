import type { Client } from "openapi-fetch";
import type { paths } from "./schema";
import { transport } from "./transport";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The parameters of a call, as the types below have them for each one. */
interface Call {
  params?: {
    path?: Record<string, string | number>;
    query?: Record<string, unknown>;
    header?: Record<string, string>;
  };
  body?: unknown;
  signal?: AbortSignal;
}

/**
 * The calls of the gateway, typed by its contract. Use it through answer(). Only the types are the library's: its code
 * can do much that the contract has no use for, and every page would load it first.
 */
export const api = {
  GET: by("GET"),
  POST: by("POST"),
  PUT: by("PUT"),
  PATCH: by("PATCH"),
  DELETE: by("DELETE"),
} as unknown as Pick<Client<paths>, Method>;

function by(method: Method) {
  return async (path: string, { params = {}, body, signal }: Call = {}) => {
    const headers = new Headers(params.header);
    if (body !== undefined) headers.set("Content-Type", "application/json");
    const response = await transport(
      new Request(addressOf(path, params), {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      }),
    );
    const text = await response.text();
    return { data: text === "" ? undefined : JSON.parse(text), response };
  };
}

/** The address of a call: values in the path's braces, lists in the query as one parameter for each of their values. */
export function addressOf(path: string, { path: values = {}, query = {} }: NonNullable<Call["params"]>): string {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      [value].flat().flatMap((each) => (each === undefined || each === null ? [] : [[name, String(each)]])),
    ),
  );
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  return search.size === 0 ? address : `${address}?${search}`;
}

/** The value that a call answered with. A call that failed throws its Problem. */
export async function answer<T>(call: Promise<{ data?: T }>): Promise<T> {
  // The transport throws for every answer that is no success, so there is a value.
  return (await call).data as T;
}
