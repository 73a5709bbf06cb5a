import { count, number } from "@/lib/format";

export const joinMessages = {
  loading: "Loading the workshop",
  failed: "The workshop couldn't be loaded.",
  absent: "Workshop not found",
  absentWhy: "There is no workshop at this address. Check it for a typo, or ask whoever hosts the workshop.",
  subtitle: "You get a session of your own in which the notebook opens. Nothing has to be installed.",
  runs: (entry: string) => `It works with ${entry}.`,
  runBy: (product: string) => `This is ${product}.`,
  contact: (contact: string) => `Questions to its operators: ${contact}`,

  privacy:
    "Those who host the workshop see your name, at which cell you are, and the kind of an error. They never see your code, outputs or files, unless you let them in. Your name is deleted 30 days after the end.",
  join: "Join",
  name: "Your name",
  nameHelp: "So that the hosts know whom they help. A nickname is fine.",
  wrongName: "Write a name of at most 80 characters.",
  code: "Code",
  codeHelp: "The four words that the host shows.",
  codeFromLink: "It came with your link.",
  wrongCode: "Write the four words, like amber river stone wolf.",
  otherCode: "That isn't the code. Check the words, or ask the host whether there is a new one.",
  tooMany: (seconds: number) =>
    `Too many wrong codes were tried. What you entered is still here. Try again in ${count(seconds, "second", "seconds")}.`,
  notJoined: "You couldn't join.",
  account: "I have an account: sign in",
  accountMeans: "You come back here and join as yourself.",
  mustSignIn: "Everybody who joins this workshop has to sign in.",
  signIn: "Sign in",
  as: (name: string) => `You join as ${name}.`,

  haveSeat: "I have a seat code",
  haveSeatMeans: "You were shown a seat number and a seat code when you joined. They bring you back from any browser.",
  seat: "Seat number",
  wrongSeat: "Write the number of your seat, like 7.",
  seatCode: "Seat code",
  wrongSeatCode: "Write the seat code as it was shown.",
  otherSeatCode: "That isn't the code of this seat. Check the number and the words, or ask the host.",
  goBack: "Go back to my seat",

  yours: (seat: number) => `You have seat ${seat}`,
  backIn: "Go back in",
  notMe: "That's not me",
  notMeHelp: "On a computer that others use too: forgets the seat in this browser.",
  seatGone: "This seat isn't yours any longer. Join again, or ask the host.",

  seatTitle: "Your seat",
  seatIs: (seat: number) => `Seat ${seat}`,
  seatCodeIs: "Seat code:",
  keepIt: "Write this down, or take a photo: with it you come back from any browser.",
  openNotebook: "Open the notebook",
  ready: "Your session is ready.",
  starting: "Your session starts. You can open the notebook now; it shows when it's ready.",
  place: (place: number) =>
    place <= 1
      ? "You are next: your session starts as soon as there is a place."
      : `You are number ${number(place)} in the queue. This page shows your place; you don't have to do anything.`,
  sessionFailed: "Your session couldn't start. Raise your hand, or open the notebook to try again.",
  foreign: "The server answered with an address that can't be opened. Tell the operators.",

  opens: "This workshop isn't open yet.",
  opensAt: (at: string) => `It opens ${at}.`,
  countdown: (left: string) => `In ${left}`,
  opensSoon: "It opens in a moment.",
  stay: "You can stay here: the page goes on by itself.",
  days: (days: number) => count(days, "day", "days"),
  hours: (hours: number) => count(hours, "hour", "hours"),
  minutes: (minutes: number) => count(minutes, "minute", "minutes"),
  seconds: (seconds: number) => count(seconds, "second", "seconds"),

  full: "All seats are taken.",
  fullMeans: "This page looks again by itself. If somebody who left holds a seat, the host can free it.",

  ended: "This workshop has ended.",
  workUntil: (day: string) => `You can fetch your work until ${day}.`,
  workOver: (day: string) => `Work could be fetched until ${day}. It's deleted now.`,
  work: "Download my work",
  workOf: (seat: number) => `It's what you have in seat ${seat}, as a zip archive.`,
  workFailed: "Your work couldn't be fetched.",
  workGone: "There is no work of this seat any longer.",
} as const;
