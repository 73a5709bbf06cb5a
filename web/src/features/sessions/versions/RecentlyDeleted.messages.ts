import { count } from "@/lib/format";

export const recentlyDeletedMessages = {
  title: (sessions: number) => `Recently deleted (${sessions})`,
  means:
    "Deleted sessions can be undeleted until the day shown, with all saved versions. They count toward your storage.",
  until: (day: string) => `Kept until ${day}`,
  versions: (versions: number) => count(versions, "version", "versions"),
  undelete: "Undelete",
  undeleteOne: (session: string) => `Undelete session ${session}`,
  undeleted: "Session restored",
  notUndeleted: "The session couldn't be restored",
  see: "Versions",
  seeOf: (session: string) => `Saved versions of ${session}`,
  deleteNow: "Delete now",
  deleteOne: (session: string) => `Delete session ${session} for good`,
  deleteTitle: "Delete session for good",
  deleteMeans: "Its files and all its saved versions are deleted permanently. This can't be undone.",
  deleted: "Session deleted",
  notDeleted: "Error deleting session",
} as const;
