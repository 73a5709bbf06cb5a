export const notebookCellMessages = {
  codeOf: (cell: number) => `Code cell ${cell}`,
  outputOf: (cell: number) => `Output of code cell ${cell}`,
  pictureOf: (cell: number) => `Picture from code cell ${cell}`,
  errorIn: (cell: number) => `Error in code cell ${cell}`,
} as const;
