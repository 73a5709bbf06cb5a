import type { SharedSession, ShareLevel } from "@/api/types";
import type { UntilChoice } from "./until";

const levels: Record<ShareLevel, string> = {
  see: "See it",
  copy: "See it and take a copy",
  edit: "Work in it",
};

export const shareMessages = {
  title: (session: string) => `Share ${session}`,
  loading: "Loading the session",
  failed: "The session couldn't be loaded.",
  toSessions: "Go to your sessions",

  with: "With",
  withWhom: {
    email: "A person",
    project: "The members of a project",
    link: "Whoever has a link",
  },
  /** What a link asks of those who have it. */
  links: {
    signed_in: "They have to sign in.",
    anyone: "They can see it without signing in, and do everything else signed in.",
    none: "",
  },
  email: "E-mail address",
  noAddress: "Write the e-mail address of the person, like name@example.org.",
  project: "Project",
  noProjects: "You have no projects yet.",
  chooseProject: "Choose a project.",

  can: "They can",
  levels,
  levelNotes: {
    see: "They follow your notebooks and files on a page. Nothing they do there reaches the session.",
    copy: "They can start a session of their own from your work.",
    edit: "They enter the session in Jupyter, as you do. Their account has to be enabled.",
  } satisfies Record<ShareLevel, string>,
  until: "Until",
  untilChoices: {
    hour: "In an hour",
    day: "Tomorrow at this time",
    session: "The session ends",
  } satisfies Record<UntilChoice, string>,
  notRunning: "The session isn't running.",

  warningTitle: "Whoever works in your session does so with your rights in it.",
  warning: [
    "They can read and change all of its files.",
    "They see everything that is typed or stored there, such as passwords and keys.",
    "What they leave behind is yours: files, settings, and programs that go on running.",
  ],
  share: "Share",
  makeLink: "Make a link",
  refused: "It couldn't be shared.",
  shared: (whom: string) => `Shared: ${whom}`,
  linkMade: "Your link is ready",
  giveAddress: "Send them this address. Nobody is told by e-mail.",
  giveLink: "Send this link to whoever it's for. It's shown only once.",
  address: "address",

  list: "Shared with",
  listLoading: "Loading with whom it's shared",
  listFailed: "It can't be shown with whom the session is shared.",
  nobody: "Only you can see this session.",
  membersOf: (project: string) => `Members of ${project}`,
  someProject: "Members of a project that no longer exists",
  whoever: "Whoever has the link",
  canDo: {
    see: "Can see it",
    copy: "Can see and copy it",
    edit: "Can work in it",
    owner: "It's yours",
  } satisfies Record<SharedSession["can"], string>,
  ends: (when: string) => `Ends ${when}`,
  endsWithIt: "Ends with the session",
  end: "End",
  endOne: (whom: string) => `End sharing with ${whom}`,
  ended: "Sharing ended",
  endedAtOnce: (whom: string) => `${whom}: whoever was there because of it is out within seconds.`,
  notEnded: "It couldn't be ended.",

  visits: "Who was there",
  noVisits: "Nobody else has been there.",
  here: "There now",
  is: {
    owner: (from: string) => `Owner, since ${from}`,
    edit: (from: string) => `Working in it since ${from}`,
    see: (from: string) => `Looking since ${from}`,
  },
  was: {
    owner: (from: string, to: string) => `Owner, ${from} to ${to}`,
    edit: (from: string, to: string) => `Worked in it, ${from} to ${to}`,
    see: (from: string, to: string) => `Looked at it, ${from} to ${to}`,
  },
} as const;
