import type { Project } from "@/api/types";
import type { SignedInUser } from "@/features/identity/useAuth";

/** What this user may do with a project: undefined for visitors, and for those who only see it because it's published. */
export function roleOf(user: SignedInUser | undefined, { role }: Pick<Project, "role">): Project["role"] {
  return user && role;
}

/** Reports whether a role allows to change the name and the datasets. */
export const mayChange = (role: Project["role"]): boolean => role === "owner" || role === "editor";

/** Reports whether a project is offered to this user, who isn't its owner yet. */
export function isOffered(user: SignedInUser | undefined, { role, offeredTo }: Pick<Project, "role" | "offeredTo">) {
  return user !== undefined && role !== "owner" && offeredTo !== undefined;
}
