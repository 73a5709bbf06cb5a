export const editProjectMessages = {
  title: (name: string) => `Edit ${name}`,
  subtitle: "Sessions that you already started don't change.",
  absent: "This project doesn't exist, or you don't have access to it.",
  browse: "Go to your projects",
  loading: "Loading the project",
  failure: "The project cannot be loaded.",
  ownerOnly: "Only a project's owner and its editors can change it.",
  show: "Show the project",
} as const;
