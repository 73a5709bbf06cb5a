import { count } from "@/lib/format";

export const tokensPageMessages = {
  subtitle: "Let programs on your own machines use this catalog as you do, with the cairn command or any other client.",
  create: "Create a token",
  loading: "Loading your access tokens",
  list: "Your access tokens",
  total: (tokens: number) => count(tokens, "access token", "access tokens"),
  failed: "Your access tokens couldn't be loaded.",
  nothing: "You have no access tokens.",
  nothingYet: "Create one when a program should search, download or run entries without your browser.",
  noMore: "There is nothing on this page.",
  first: "Show the newest",
} as const;
