/** What each right lets this server do at a code host. */
export const rightMessages = {
  identity: "See who you are there",
  read: "Read the repositories that you can read",
  write: "Change what you can change there",
  all: "Everything that you may do there",
  unknown: "The host doesn't say what else it may do",
} as const;

/** What those mean at an archive, where they aren't the same. */
export const archiveRightMessages = {
  read: "See your deposits, drafts too",
  write: "Make deposits, change drafts and publish them",
  unknown: "The archive doesn't say what else it may do",
} as const;
