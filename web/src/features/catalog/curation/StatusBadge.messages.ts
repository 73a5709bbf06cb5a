export const statusBadgeMessages = {
  hidden: "Hidden",
  hiddenDetail: "An operator took this entry off the catalog. Only its authors and operators see it.",
  verified: "Verified",
  verifiedDetail: "The operators of this catalog have looked at this entry.",
  rejected: "Not recommended",
  rejectedDetail: "The operators of this catalog advise against this entry.",
} as const;
