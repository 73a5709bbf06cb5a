/** The query of a call. */
type Query = Record<string, string | number | boolean | readonly string[]>;

interface FirstData {
  /** Path and query of a call. */
  request: string;
  answer: unknown;
}

const loadedAt = Date.now();
let written: FirstData | null | undefined;

/** The answer to the page's first request as an anonymous caller gets it, if the server wrote it into the document. */
function readDocument(): FirstData | null {
  written ??= JSON.parse(document.getElementById("first-data")?.textContent || "null") as FirstData | null;
  return written;
}

/**
 * Returns query options with the answer from the document, if it belongs to this call, so that it shows without a
 * request. For anonymous visitors it is as fresh as the document. For others it is stale at once, because they see more,
 * such as their stars, and so is a document restored by Back; it shows until the next answer arrives.
 */
export function firstAnswer<Answer>(path: string, query: Query, signedIn: boolean) {
  const data = readDocument();
  if (data === null || !sameCall(data.request, path, query)) return {};
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const old = signedIn || navigation?.type === "back_forward";
  return { initialData: data.answer as Answer, initialDataUpdatedAt: old ? 0 : loadedAt };
}

/** Reports whether an address has this path and query, regardless of escaping and order. */
export function sameCall(request: string, path: string, query: Query): boolean {
  const [requestPath = "", requestQuery = ""] = request.split("?");
  const asked = Object.entries(query).flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]));
  return requestPath === path && sorted(requestQuery) === sorted(asked);
}

function sorted(parameters: string | string[][]): string {
  const result = new URLSearchParams(parameters);
  result.sort();
  return result.toString();
}
