export const exampleLinkMessages = {
  run: "Run the example now",
} as const;
