/** The words of the first page that are not content: that comes from the site file. */

export const landingMessages = {
  features: "Main features",
  extensions: "Science extensions",
  inCatalog: (field: string) => `${field} in the catalog`,
  institutions: "Collaborating institutions",
  sponsor: "Funding sponsor",
  sponsorName: (name: string, shortName: string) => `${name} (${shortName})`,
  newTab: " (opens in a new tab)",
} as const;

export const illustrationMessages = {
  whole: "A laptop and a machine room that share work and data",
  local: "Local",
  localUse: "small and urgent",
  remote: "Remote",
  remoteUse: "large and long",
  there: "code, models",
  back: "data, results",
} as const;
