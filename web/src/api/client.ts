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

// The types of the calls, derived from the contract; `by` implements them.
type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<Lowercase<M>, unknown> ? P : never;
}[keyof paths];

type Json<Value> = { content: { "application/json": Value } };
type Nothing = Record<never, never>;

type CallOf<Operation> = ParametersOf<Operation> & BodyOf<Operation> & { signal?: AbortSignal };

type ParametersOf<Operation> = Operation extends { parameters: infer All }
  ? Nothing extends Omit<All, "cookie">
    ? { params?: Omit<All, "cookie"> }
    : { params: Omit<All, "cookie"> }
  : Nothing;

type BodyOf<Operation> = Operation extends { requestBody?: never }
  ? Nothing
  : Operation extends { requestBody: Json<infer Body> }
    ? { body: Body }
    : Operation extends { requestBody?: Json<infer Body> }
      ? { body?: Body }
      : Nothing;

type Success = 200 | 201 | 202 | 204;

/** The parsed body of a call's answer; undefined only if it is empty. */
export type AnswerOf<Operation> = Operation extends { responses: infer All }
  ? { [Status in keyof All & Success]: ContentOf<All[Status]> }[keyof All & Success]
  : never;

type ContentOf<Response> =
  Response extends Json<infer Value> ? Value : Response extends { content?: never } ? undefined : never;

type Api = {
  [M in Method]: <P extends PathOf<M>, Operation = paths[P][Lowercase<M>]>(
    path: P,
    ...call: Nothing extends CallOf<Operation> ? [call?: CallOf<Operation>] : [call: CallOf<Operation>]
  ) => Promise<{ data: AnswerOf<Operation> }>;
};

/** The calls of the API, typed by its contract. Use it through answer(). */
export const api = {
  GET: by("GET"),
  POST: by("POST"),
  PUT: by("PUT"),
  PATCH: by("PATCH"),
  DELETE: by("DELETE"),
} as Api;

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
    return { data: text === "" ? undefined : JSON.parse(text) };
  };
}

/** Returns the address of a call. Values replace the path's braces; a list in the query becomes repeated parameters. */
export function addressOf(path: string, { path: values = {}, query = {} }: NonNullable<Call["params"]>): string {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      [value].flat().flatMap((each) => (each === undefined || each === null ? [] : [[name, String(each)]])),
    ),
  );
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  return search.size === 0 ? address : `${address}?${search}`;
}

/** Returns the value that a call answered with; throws a Problem if the call failed. */
export async function answer<T>(call: Promise<{ data: T }>): Promise<T> {
  return (await call).data;
}
