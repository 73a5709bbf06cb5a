export const filePreviewMessages = {
  download: (size: string) => `Download (${size})`,
  digest: "Show SHA-256",
  notAFile: "This isn't a regular file, so it can't be shown.",
  noPreview: "There is no preview of files of this kind.",
  inSession: "In a session it's at",
  end: ".",
  failure: "The file couldn't be loaded.",
  loading: "Loading the file",
} as const;
