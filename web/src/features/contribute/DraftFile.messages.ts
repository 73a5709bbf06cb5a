const signs = { same: " ", added: "+", removed: "-", wrong: "~" } as const;

export const draftMessages = {
  yours: (file: string) => `Your ${file}`,
  made: (file: string) => `A ${file} for this repository`,
  madeText: "It's based on the README, the citation file, the license and the topics. Check it before you create it.",
  complete: "Lines marked + are added; lines marked - are removed. When you come back here, the file is pulled again.",
  incomplete:
    "Change the lines marked ~, and replace the example text. When you come back here, the file is pulled again.",
  copy: (complete: boolean) => (complete ? "Copy the corrected file" : "Copy the file"),
  line: (mark: keyof typeof signs, text: string) => `${signs[mark]} ${text}\n`,
  edit: (host: string) => `Edit on ${host}`,
  create: (host: string) => `Create the file on ${host}`,
} as const;
