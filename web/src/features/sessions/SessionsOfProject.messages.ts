import { count } from "@/lib/format";

export const sessionsOfProjectMessages = {
  title: "Your sessions",
  loading: "Loading your sessions",
  cannotLoad: "Your sessions cannot be loaded.",
  none: "You haven't started any sessions from this project.",
  open: "Open",
  openOne: (session: string) => `Open session ${session}`,
  all: "All your sessions",
  more: (others: number) => `${count(others, "more session", "more sessions")} in your list of sessions`,
} as const;
