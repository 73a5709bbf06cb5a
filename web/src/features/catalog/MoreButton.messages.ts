import { count } from "@/lib/format";

export const moreButtonMessages = {
  all: (total: number, noun: string) => `All ${count(total, noun, noun)}`,
  fewer: (noun: string) => `Fewer ${noun}`,
} as const;
