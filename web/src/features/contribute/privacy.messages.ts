/** What each privacy means; its keys are the valid ones. */
export const privacyMessages = {
  PUBLIC: "Everyone can see the entry.",
  PRIVATE: "Only its authors can see the entry.",
} as const;

/** A privacy in a list of changes: there are two kinds of private. */
export function privacyText({ privacy = "PUBLIC", audience }: { privacy?: string; audience?: "host" }): string {
  return audience ? `${privacy}, for those who can read the repository` : privacy;
}
