import type { Job, JobWish, Schedule } from "@/api/types";

/** What a job executes: the notebook of an entry or a project, or one of a session. */
export interface Source {
  of: "entry" | "project" | "session";
  id: string;
  /** Its path in the repository, or in the session; "" for the one that a session opens. */
  file: string;
  /** A branch, tag or commit; "" for the default branch. */
  ref: string;
}

/** The parameters of the address of the form that name what is executed. */
const names = { entry: "resource", project: "project", session: "session" } as const;

/** Reads the address of the form; undefined if it names nothing that could be executed. */
export function readSource(params: URLSearchParams): Source | undefined {
  for (const of of ["entry", "project", "session"] as const) {
    const id = params.get(names[of]) ?? "";
    if (id === "") continue;
    if (of !== "session") return { of, id, file: params.get("file") ?? "", ref: params.get("ref") ?? "" };
    const path = params.get("path") ?? "";
    return path === "" ? undefined : { of, id, file: path, ref: "" };
  }
  return undefined;
}

/** The query of the form's address for something to execute. */
export function writeSource({ of, id, file, ref }: Source): string {
  const params = new URLSearchParams({ [names[of]]: id });
  if (file !== "") params.set(of === "session" ? "path" : "file", file);
  if (ref !== "") params.set("ref", ref);
  return `?${params}`;
}

/** The part of a request that says what is executed. */
export function wishOf({ of, id, file, ref }: Source): JobWish {
  if (of === "session") return { fromSession: { session: id, path: file } };
  return {
    ...(of === "entry" ? { resourceId: id } : { projectId: id }),
    ...(file !== "" && { file }),
    ...(ref !== "" && { ref }),
  };
}

/** What a job or a schedule executes; undefined if that isn't known. */
export function sourceOf(made: Pick<Job | Schedule, "resource" | "project" | "fromSession" | "file" | "ref">) {
  const { resource, project, fromSession, file = "", ref = "" } = made;
  if (fromSession) return { of: "session", id: fromSession.session, file: fromSession.path, ref: "" } satisfies Source;
  if (resource) return { of: "entry", id: resource, file, ref } satisfies Source;
  if (project) return { of: "project", id: project, file, ref } satisfies Source;
  return undefined;
}

/** The name at the end of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
