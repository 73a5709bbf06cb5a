/** How the product is used, for the landing page. */
export const stepsMessages = {
  title: "How it works",
  find: {
    title: "Find",
    text: "Search notebooks, code, datasets and models, and look at plots and tables before you run anything.",
    picture: "A notebook in the catalog, with its formulas and the plot that it draws",
  },
  run: {
    title: "Run",
    text: "Start it in Jupyter, in your browser. There's nothing to install, and the data is already there.",
    picture: "A session in Jupyter with a plot that was just computed",
  },
  prove: {
    title: "Trust",
    text: "The catalog runs its entries, and shows which results still come out as their authors stored them.",
    picture: "The report of a run: every cell ran, and every output matches",
  },
  keep: {
    title: "Keep and cite",
    text: "Your work is saved while you work, and a lost cell comes back. Copy a citation when you publish.",
    picture: "The saved versions of a session, with what changed in each cell",
  },
} as const;
