export const searchTipsListMessages = {
  /** Around the key. */
  key: ["The key ", " leads to the search box from every page."],
  turnOff: "Turn the key off",
  turnOn: "Turn the key on",
  tips: [
    ["spike mem", "both words, or words that begin so, in any order"],
    ['"visual cortex"', "exactly these words"],
    ["cortex -mouse", "without this word"],
    ["tag:neuroscience", "with this tag"],
    ["type:model", "of this type: repository, notebook, dataset or model"],
    ["author:ada", "by this author"],
  ],
} as const;
