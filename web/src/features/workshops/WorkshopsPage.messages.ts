export const workshopsPageMessages = {
  subtitle: "Prepared rooms with a session for each seat, for courses and tutorials.",
  loading: "Loading your workshops",
  failed: "Your workshops couldn't be loaded.",
  list: "Your workshops",
  prepare: "Prepare a workshop",
  none: "You have no workshops yet.",
  noneWhy:
    "A workshop has a number of seats. Participants join with a code of four words, without an account, and find a session that is ready. You see on a board where the room is.",
  mayNot: "You can't prepare workshops with this account.",
  mayNotWhy: "The operators name those who may host workshops.",
  ask: (contact: string) => `Ask them: ${contact}`,
  whoJoins: "To join a workshop you don't need this page: open the address that its host shows.",
  browse: "Browse the catalog",
} as const;
