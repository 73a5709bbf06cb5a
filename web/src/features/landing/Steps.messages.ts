/** How the product is used, for the landing page. */
export const stepsMessages = {
  title: "How it works",
  find: {
    title: "Find",
    text: "Search notebooks, code, datasets and models, and look at plots and tables before you run anything.",
    picture: "A dataset in the catalog with a plot and a table of its values",
  },
  run: {
    title: "Run",
    text: "Start it in Jupyter, in your browser. There's nothing to install, and the data is already there.",
    picture: "The page that starts an entry, with what runs and who made it",
  },
  cite: {
    title: "Keep and cite",
    text: "Your files stay until you delete them. Copy a citation when you publish.",
    picture: "A citation of a notebook, ready to copy",
  },
} as const;
