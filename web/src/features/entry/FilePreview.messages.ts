export const filePreviewMessages = {
  notAFile: "This is no file: a link that leads out of the dataset or nowhere, or a device.",
  noPreview: "There is no preview of files of this kind.",
  inSession: "In a session it lies in",
  end: ".",
  empty: "This file is empty.",
  text: (path: string) => `Text of ${path}`,
  beginning: (size: string) => `The first part of a file of ${size}.`,
  failure: "The file could not be read.",
  loading: "Loading the file",
} as const;
