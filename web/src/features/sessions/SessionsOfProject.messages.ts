import { count } from "@/lib/format";

export const sessionsOfProjectMessages = {
  title: "Your sessions",
  loading: "Loading your sessions",
  cannotLoad: "Your sessions cannot be loaded.",
  none: "You have started no session from this project.",
  open: "Open",
  openOne: (session: string) => `Open session ${session}`,
  all: "All your sessions",
  more: (others: number) => `${count(others, "more session", "more sessions")} among all your sessions`,
} as const;
