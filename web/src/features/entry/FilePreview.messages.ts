export const filePreviewMessages = {
  download: (size: string) => `Download (${size})`,
  notAFile: "This is no file: a link that leads out of the dataset or nowhere, or a device.",
  noPreview: "There is no preview of files of this kind.",
  inSession: "In a session it lies in",
  end: ".",
  failure: "The file could not be read.",
  loading: "Loading the file",
} as const;
