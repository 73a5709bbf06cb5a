/*
 * After a visitor who started a session has signed in, two parameters in the page's address reopen the project's dialog
 * and are then removed.
 */

const flag = "showStartProjectSessionModal";
const project = "projectId";

/** `address` (path, query, hash) with the parameters that reopen the dialog for a project. */
export function withStart(address: string, projectId: string): string {
  const url = new URL(address, "http://page");
  url.searchParams.set(flag, "true");
  url.searchParams.set(project, projectId);
  return url.pathname + url.search + url.hash;
}

/** The project whose dialog the query opens: "" if it names none, undefined without the flag. */
export function wantedStart(query: URLSearchParams): string | undefined {
  return query.get(flag) === "true" ? (query.get(project) ?? "") : undefined;
}

/** The query without these parameters. */
export function withoutStart(query: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(query);
  rest.delete(flag);
  rest.delete(project);
  return rest;
}
