/** The words of the landing page that aren't content: the content comes from the site file. */

export const landingMessages = {
  features: "Main features",
  extensions: "Science extensions",
  inCatalog: (field: string) => `${field} in the catalog`,
  institutions: "Collaborating institutions",
  sponsor: "Funding sponsor",
  sponsorName: (name: string, shortName: string) => `${name} (${shortName})`,
  newTab: " (opens in a new tab)",
} as const;
