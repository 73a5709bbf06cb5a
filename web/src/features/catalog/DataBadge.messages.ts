export const dataBadgeMessages = {
  missing: "Data not on this server",
} as const;
