import { count, number } from "@/lib/format";
import { fileSize } from "@/lib/measures";
import { longestName, mostSeats } from "./draft";

export const workshopFormMessages = {
  newTitle: "Prepare a workshop",
  newSubtitle: "A session for each seat is ready when it begins. You can change all of this until then.",
  editTitle: (name: string) => `Edit ${name}`,
  editWindow: "Edit the workshop",
  loading: "Loading the workshop",
  failed: "The workshop couldn't be loaded.",
  absent: "Workshop not found",
  absentWhy: "There is no such workshop, or you don't host it.",

  what: "What it runs",
  kind: "It runs",
  kinds: { entry: "A repository of the catalog", project: "One of your projects" },
  search: "Search repositories",
  searchHelp: "To use a notebook, open its page and press “Prepare a workshop” there.",
  project: "Project",
  noProjects: "You have no projects yet.",
  chooseProject: "Choose a project",
  chosen: "Chosen",
  other: "Choose another one",
  originFailed: (reason: string) => `What it runs couldn't be loaded. ${reason}`,
  noOrigin: "Choose what the workshop runs.",

  name: "Name",
  nameHelp: "Participants see it.",
  wrongName: `Write a name of at most ${longestName} characters.`,
  seats: "Seats",
  seatsHelp: "One for each participant. A few more than you expect is wise.",
  wrongSeats: `Write a number from 1 to ${mostSeats}, like 30.`,

  when: "When",
  date: "Date",
  from: "From",
  to: "To",
  lastDay: "Last day",
  lastDayHelp: "Only if it ends on another day.",
  zone: "Time zone",
  zoneHelp: "Where the room is.",
  wrongDate: "Choose the day on which it begins.",
  wrongFrom: "Write when it begins, like 09:00.",
  wrongTo: "It has to end after it begins.",
  past: "That is over. Choose a time that isn't.",
  nextDay: (date: string) => `It ends on the day after, ${date}.`,
  skipped: (time: string) => `The clock goes forward over that time on that day. ${time} is meant.`,
  twice: "That time comes twice on that day, because the clock goes back. The first one is meant.",
  byYourClock: (span: string) => `By your clock: ${span}`,

  size: "Size of each session",
  sizeNote: (memory: string, fits: string) => [memory, fits].filter(Boolean).join(" "),
  memory: (bytes: number) => (bytes > 0 ? `${fileSize(bytes)} of memory.` : ""),
  sizeFits: (fits: number) => (fits < 0 ? "" : `Room for ${count(fits, "seat", "seats")}.`),
  onEngine: (engine: string, label: string) => `${label}, ${engine}`,

  room: "Room",
  roomUnknown: "Once the seats and the time are written, it's said here whether this machine can carry them.",
  asking: "Checking the room …",
  roomFailed: (reason: string) => `It couldn't be checked whether there is room. ${reason}`,
  noLimit: "No limit is known where these sessions run.",
  enough: (seats: number) => `There is room for all ${count(seats, "seat", "seats")}.`,
  only: (fits: number, seats: number) => `${number(fits)} of ${count(seats, "seat", "seats")} at this size.`,
  onlyBut: (fits: number, seats: number, others: number, size: string) =>
    `${number(fits)} of ${count(seats, "seat", "seats")} at this size; ${number(others)} at ${size}.`,
  onlyButAll: (fits: number, seats: number, size: string) =>
    `${number(fits)} of ${count(seats, "seat", "seats")} at this size; all at ${size}.`,
  noSize: "No size here carries more. Take fewer seats, or another time.",
  take: (size: string) => `Take ${size}`,
  takes: (places: number, capacity: number) =>
    capacity > 0
      ? `It takes ${number(places)} of ${count(capacity, "place", "places")} of this machine while it lasts.`
      : `It takes ${count(places, "place", "places")} while it lasts.`,
  free: (free: number) => `${count(free, "place is", "places are")} free at that time.`,

  who: "Who can join",
  guests: "People without an account can join",
  guestsHelp: "With the code and a name. Without this, everybody has to sign in.",
  internet: "Sessions can reach the internet",
  internetHelp: "Without this, nothing can be downloaded in them.",
  hosts: "Co-hosts",
  hostsHelp: "The e-mail addresses, apart by commas, of those who see the board and can do all that you can.",

  more: "More",
  moreNote: "The file that is opened, and the branch.",
  file: "File",
  fileHelp: "The one that is opened in each session, like notebooks/start.ipynb.",
  ref: "Branch, tag or commit",
  refHelp: "Empty: the default branch, as it is when the sessions get ready.",

  prepare: "Prepare",
  save: "Save",
  cancel: "Cancel",
  correct: "It couldn't be saved. Correct what is marked above.",
  refused: "It couldn't be saved. What you entered is still here.",
  prepared: "Workshop prepared",
  saved: "Workshop saved",
} as const;
