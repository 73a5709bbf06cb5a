export const notebookFrameMessages = { reading: "Reading the notebook" } as const;
