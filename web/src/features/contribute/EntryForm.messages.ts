export const entryFormMessages = {
  tag: "tag",
  author: "author",
  privacies: {
    PUBLIC: { label: "Everybody", help: "It is in the catalog for all visitors." },
    PRIVATE: { label: "Its authors only", help: "Nobody else finds it." },
  },
  leaves:
    "You are no longer among the authors: once this is saved you cannot change the entry any more, nor see it while it is private.",
  save: "Save",
  add: (kind: string) => `Add ${kind.toLowerCase()}`,
  cancel: "Cancel",
  seeFields: "Not saved. Check the highlighted fields.",
  notSaved: (reason: string) => `Not saved. ${reason} What you wrote is still here.`,
} as const;
