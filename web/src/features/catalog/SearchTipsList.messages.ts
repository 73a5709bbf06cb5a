export const searchTipsListMessages = {
  key: "Press {key} to search from any page.",
  turnOff: "Turn off this shortcut",
  turnOn: "Turn on this shortcut",
  tips: [
    ["spike mem", "both words, or words that start with them, in any order"],
    ['"visual cortex"', "exactly these words"],
    ["cortex -mouse", "without this word"],
    ["tag:neuroscience", "with this tag"],
    ["type:model", "of this type: repository, notebook, dataset or model"],
    ["author:ada", "by this author"],
  ],
} as const;
