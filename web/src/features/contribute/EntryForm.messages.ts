export const entryFormMessages = {
  tag: "tag",
  author: "author",
  privacies: {
    PUBLIC: { label: "Everyone", help: "Everyone can find it in the catalog." },
    PRIVATE: { label: "Its authors only", help: "No one else can find it." },
  },
  basics: "Basics",
  credit: "Credit",
  creditNote: "authors, people, license, version",
  funding: "Funding and related work",
  fundingNote: "grants, papers, other versions",
  leaves:
    "You're no longer among the authors. Once you save, you can't change the entry anymore, or see it while it's private.",
  save: "Save",
  add: (kind: string) => `Add ${kind.toLowerCase()}`,
  cancel: "Cancel",
  seeFields: "Not saved. Check the highlighted fields.",
  notSaved: (reason: string) => `Not saved. ${reason} What you wrote is still here.`,
} as const;
