import { count } from "@/lib/format";

export const activityPageMessages = {
  subtitle: "What you changed here, and what others changed in your account, entries and sessions.",
  loading: "Loading your activity",
  list: "Your activity",
  total: (records: number) => count(records, "record", "records"),
  failed: "Your activity couldn't be loaded.",
  nothing: "Nothing is recorded about you yet.",
  noMore: "There is nothing on this page.",
  catalog: "Go to the catalog",
  first: "Show the newest",
} as const;
