import { number } from "@/lib/format";

export const screenMessages = {
  title: (name: string) => `Code of ${name}`,
  back: "Back",
  open: "Open",
  word: "Code",
  qr: "QR code of the link to join",
  opens: (at: string) => `Opens ${at}`,
  in: (taken: number, total: number) => `${number(taken)} of ${number(total)} are in`,
  ended: "This workshop has ended.",
} as const;
