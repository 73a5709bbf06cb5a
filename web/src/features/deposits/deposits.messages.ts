import { count } from "@/lib/format";
import type { Help } from "./deposit";
import type { DepositState } from "./shapes";

const helps: Record<Help, (archive: string) => string> = {
  connect: (archive) =>
    `Your account isn't connected with ${archive}, or has to be connected again. Connect it, then come back.`,
  license: (archive) =>
    `${archive} publishes everything under a license, and this entry names none. Add one, then deposit it.`,
  edit: (archive) => `${archive} needs something to be different. Change it in the entry, then try again.`,
  author: () => "Only authors of this entry can do this, and you aren't one of them any more.",
  enable: () => "Your account has to be enabled first. Ask the operators.",
  other: (archive) => `Another version's deposit at ${archive} isn't published yet. Publish or discard that one first.`,
  begun: () => "Somebody else began this deposit with their account at the archive, so only they can go on with it.",
  changed: () => "Something changed in the meantime. The page shows it as it is now.",
  later: (archive) => `${archive} or this server can't do this right now. Nothing is lost. Try again in a while.`,
};

/** What an archive gets of a version. */
function contents(version: string, kept: boolean, ran: boolean): string {
  if (!kept) return `the description of ${version}${ran ? " and the result of its last run" : ""}`;
  return ran
    ? `the files of ${version}, its description and the result of its last run`
    : `the files of ${version} and its description`;
}

export const depositsMessages = {
  title: "Deposits",
  explanation: (archive: string | undefined) =>
    `Deposit a version at ${archive ?? "an archive"} to keep it for good and get a DOI. Only authors see this here.`,
  failed: "The deposits couldn't be loaded.",
  lost: "It isn't known how far it is. It goes on, and this page asks again.",
  list: "Deposits of this entry",
  depositAt: (archive: string | undefined) => `Deposit at ${archive ?? "an archive"}`,
  depositVersionAt: (n: number, archive: string | undefined) => `Deposit version ${n} at ${archive ?? "an archive"}`,
  whichAt: (n: number, archive: string) => `Version ${n} at ${archive}`,
  /** In the list of versions. */
  places: {
    UPLOADING: (archive: string) => `Uploading to ${archive}`,
    DRAFT: (archive: string) => `Draft at ${archive}`,
    PUBLISHING: (archive: string) => `Publishing at ${archive}`,
    PUBLISHED: (archive: string) => `Published at ${archive}`,
    FAILED: (archive: string) => `Failed at ${archive}`,
  } satisfies Record<DepositState, (archive: string) => string>,
  states: {
    UPLOADING: (archive: string) => `Uploading to ${archive}`,
    DRAFT: () => "This is a draft. Nothing is public yet.",
    PUBLISHING: (archive: string) => `Publishing at ${archive}`,
    PUBLISHED: (archive: string) => `Published. ${archive} keeps it for good.`,
    FAILED: (archive: string) => `This couldn't be deposited at ${archive}.`,
  } satisfies Record<DepositState, (archive: string) => string>,
  bar: (archive: string) => `Progress at ${archive}`,
  gathering: "Collecting the files",
  sent: (files: number, bytes: string, total: string) => `${count(files, "file", "files")}, ${bytes} of ${total}`,
  waits: (detail: string) => `This server will try again by itself. What happened: ${detail}`,
  others: (by: string) =>
    by === "" ? "Somebody whose account is gone began it." : "{who} began it, and only they can go on with it.",
  doi: "DOI {doi}",
  copyDoi: "Copy the DOI's address",
  draft: (archive: string) => `Look at the draft at ${archive}`,
  record: (archive: string) => `Open the record at ${archive}`,
  publish: "Publish",
  retry: "Try again",
  discard: "Discard",
  of: (action: string, n: number, archive: string) => `${action}: version ${n} at ${archive}`,
  helps,
  connect: "Connect your account",
  edit: "Edit the entry",
  syncLicense: "Write it into the repository's descriptor, then sync the entry.",
  cancel: "Cancel",

  where: "Archive",
  connected: "Your account is connected.",
  notConnected: "Your account isn't connected.",
  goes: (kept: boolean, ran: boolean, archive: string) =>
    `${archive} gets ${contents("this version", kept, ran)}, as a draft in your account there.`,
  thenPublish: "Nothing is public until you publish the draft. You can also discard it.",
  begin: "Make a draft",
  needs: {
    connect: (archive: string) => `Your account isn't connected with ${archive}. Connect it, then come back.`,
    license: helps.license,
  },
  blocked: { connect: "Connect your account first.", license: "The entry needs a license first." },

  publishTitle: (archive: string) => `Publish at ${archive}`,
  publishForGood: (archive: string) =>
    `This can't be undone. ${archive} keeps what it has published, and deletes nothing.`,
  publishes: (n: number, kept: boolean, ran: boolean, size: string) =>
    `What goes public: ${contents(`version ${n}`, kept, ran)}. That's ${size} in all.`,
  filesStay: "This server doesn't keep the entry's files: they stay where they are.",
  size: (files: number, bytes: string) => `${count(files, "file", "files")}, ${bytes}`,
  publishPrivate: (archive: string) =>
    `This entry is private here, but its record at ${archive} will be public: everyone can read it and download its files.`,
  publishPublic: "Everyone can read the record and download its files.",
  publishDoi: (doi: string) => `Its DOI will be ${doi}.`,
  publishIt: "Publish for good",

  discardTitle: "Discard the deposit",
  discardMeans: (archive: string) =>
    `The draft at ${archive} is deleted. The entry stays as it is, and you can deposit it again.`,
  discardOthers: (archive: string) =>
    `This server forgets the deposit. A draft in another person's account at ${archive} stays there: nobody else can delete it.`,
  discarded: "Deposit discarded",
} as const;
