import type { Share } from "@/api/types";
import { ahead } from "@/features/sessions/moments";
import { shareMessages as messages } from "./share.messages";

/** With whom something is shared. */
export function whomText({ with: { email, project }, projectName }: Pick<Share, "with" | "projectName">): string {
  if (email) return email;
  if (!project) return messages.whoever;
  return projectName ? messages.membersOf(projectName) : messages.someProject;
}

/** When that ends. */
export const endText = (until: string | undefined, now: number): string =>
  until === undefined ? messages.endsWithIt : messages.ends(ahead(until, now));
