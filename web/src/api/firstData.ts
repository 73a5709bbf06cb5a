/** The query of a call. */
type Query = Record<string, string | number | readonly string[]>;

interface FirstData {
  /** Path and query of a call. */
  request: string;
  answer: unknown;
}

const loadedAt = Date.now();
let written: FirstData | null | undefined;

/** What the server wrote into the document, if it did: the answer to the page's first request, as anybody gets it. */
function readDocument(): FirstData | null {
  written ??= JSON.parse(document.getElementById("first-data")?.textContent || "null") as FirstData | null;
  return written;
}

/**
 * The answer that the document brought along, when it is the one to this very call: options of a query, which then
 * shows it before anything is asked. For who is not signed in it is as fresh as the document. Others see more, their
 * stars for instance, and a document that Back brought up may be old: then it is out of date at once, and shown until
 * the next answer takes its place.
 */
export function firstAnswer<Answer>(path: string, query: Query, signedIn: boolean) {
  const data = readDocument();
  if (data === null || !sameCall(data.request, path, query)) return {};
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const old = signedIn || navigation?.type === "back_forward";
  return { initialData: data.answer as Answer, initialDataUpdatedAt: old ? 0 : loadedAt };
}

/** Tells whether the address of a call means this path and query, however it is escaped and ordered. */
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
