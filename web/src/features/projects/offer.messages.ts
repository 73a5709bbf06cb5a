export const offerMessages = {
  title: "{owner} offers you this project",
  means: "Once you accept, you own it, and the owner before stays as an editor.",
  accept: "Accept",
  refuse: "Refuse",
  cancel: "Cancel",
  acceptTitle: "Accept this project",
  acceptMeans: "You own it then, and decide about its members, about publishing it and about deleting it.",
  stays: "{owner} stays as an editor.",
  accepted: "You own this project now",
  notAccepted: "The project cannot be accepted.",
  refused: "Project refused",
  notRefused: "The project cannot be refused.",
} as const;
