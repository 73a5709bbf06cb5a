export const confirmByNameMessages = {
  confirm: "Delete",
  cancel: "Cancel",
  /** Around the name. */
  typeName: ["Type ", " to confirm"],
} as const;
