export const illustrationMessages = {
  whole: "A laptop and a machine room that share work and data",
  local: "Local",
  localUse: "small and urgent",
  remote: "Remote",
  remoteUse: "large and long",
  there: "code, models",
  back: "data, results",
} as const;
