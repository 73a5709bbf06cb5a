export const connectedMessages = {
  finishing: "Looking at what you granted",
  title: "Your account wasn't connected.",
  refused: (product: string) => `You didn't let ${product} in. Nothing was connected.`,
  hostFailed: "The code host reported an error. Nothing was connected. Try it again in a moment.",
  unknown: "This connection wasn't begun in this tab, or it's finished already. Begin again.",
  back: "Back to your connected accounts",
} as const;
