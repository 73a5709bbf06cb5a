export const productPictureMessages = {
  text: "The catalog: neuroscience notebooks, each with a plot of its results",
} as const;
