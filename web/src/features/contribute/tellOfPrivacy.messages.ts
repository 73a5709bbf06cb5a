export const invalidPrivacyMessages = {
  title: "Invalid privacy field",
  text: (file: string, valid: string) => `The privacy field in ${file} is invalid. Valid values: ${valid}.`,
} as const;
