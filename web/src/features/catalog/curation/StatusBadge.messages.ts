export const statusBadgeMessages = {
  closed: "Closed to you now",
  hidden: "Hidden",
  hiddenDetail: "An operator hid this entry. Only its authors and operators can see it.",
  verified: "Verified",
  verifiedDetail: "The operators of this catalog have checked this entry.",
  rejected: "Not recommended",
  rejectedDetail: "The operators of this catalog advise against this entry.",
} as const;
