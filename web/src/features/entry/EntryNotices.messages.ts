export const entryNoticesMessages = {
  hidden: "An operator hid this entry",
  reason: (reason: string) => `Reason: ${reason}`,
  meaning:
    "Only its authors and operators can see it. Its authors can correct it and ask the operators to bring it back.",
  namedBy: (email: string) => `${email} named you as an author of this entry.`,
  leave: "Leave",
  leaveTitle: "Leave the authors of this entry",
  leaveMeaning:
    "Your address is removed from it, and you can't change it anymore. This can't be undone in the catalog.",
  cancel: "Cancel",
  left: "You're no longer an author",
  notLeft: "You're still an author of the entry.",
} as const;
