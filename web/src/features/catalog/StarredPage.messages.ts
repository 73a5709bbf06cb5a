import { count } from "@/lib/format";

export const starredPageMessages = {
  subtitle: "What you marked to find it again, the newest star first.",
  nobody: "Stars can't be saved for this account.",
  nobodyDetail: "Your identity provider gives no e-mail address for you. Verify your address there and sign in again.",
  failure: "Your stars could not be read.",
  kept: "None of them is lost.",
  browse: "Browse the catalog",
  none: "Nothing is starred yet.",
  noneDetail: "Star an entry in the catalog and it is kept here.",
  total: (entries: number) => count(entries, "entry", "entries"),
} as const;
