import type { Project } from "@/api/types";
import type { SignedInUser } from "@/features/identity/useAuth";

/** Reports whether this user can delete a project; the server decides by the same rule. */
export function isOwner(user: SignedInUser | undefined, { ownerId }: Pick<Project, "ownerId">): boolean {
  return user !== undefined && user.email !== "" && user.email.toLowerCase() === ownerId.toLowerCase();
}
