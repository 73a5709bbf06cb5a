import { count } from "@/lib/format";

export const starredPageMessages = {
  subtitle: "Entries you starred, newest first.",
  nobody: "Stars can't be saved for this account.",
  nobodyDetail: "Your identity provider doesn't share your e-mail address. Verify it there and sign in again.",
  failure: "Your stars couldn't be loaded.",
  kept: "They're still saved.",
  browse: "Browse the catalog",
  none: "You haven't starred anything yet.",
  noneDetail: "Star an entry in the catalog to find it here again.",
  total: (entries: number) => count(entries, "entry", "entries"),
} as const;
