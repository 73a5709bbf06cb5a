import type { Project } from "@/api/types";
import type { SignedInUser } from "@/features/identity/useAuth";

/** Tells whether a project is to be deleted by this user; the server decides by the same rule. */
export function isOwner(user: SignedInUser | undefined, { ownerId }: Pick<Project, "ownerId">): boolean {
  return user !== undefined && user.email !== "" && user.email.toLowerCase() === ownerId.toLowerCase();
}
