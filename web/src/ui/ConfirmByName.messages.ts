export const confirmByNameMessages = {
  confirm: "Delete",
  cancel: "Cancel",
  typeName: "Type {name} to confirm",
} as const;
