/** The client that signs people in: the page. */
export const portalClient = "data-catalog-portal";
/** The resource server that may ask about tokens. */
export const gatewayClient = "cairn-gateway";

/** The accounts of the second provider, by what happens with them. Nobody needs a password. */
export const accounts = {
  ada: { subject: "person-0001", email: "ada@institution.example", verified: true, name: "Ada Abel" },
  bob: { subject: "person-0002", email: "bob@institution.example", verified: true, name: "Bob Born" },
  /** The provider does not vouch for the e-mail. */
  unverified: { subject: "person-0003", email: "eve@institution.example", verified: false, name: "Eve Echo" },
  nameless: { subject: "person-0004", email: "noname@institution.example", verified: true, name: "" },
  /** Of a domain that Cairn does not enable. */
  guest: { subject: "person-0005", email: "guest@elsewhere.example", verified: true, name: "Gil Guest" },
} as const;

export const accountBy = (field: "subject" | "email", value: string) =>
  Object.values(accounts).find((account) => account[field] === value);

/** The claims about a subject, in the names of OpenID. */
export function claimsOf(subject: string) {
  const { email, verified, name } = accountBy("subject", subject) ?? {};
  return { email, email_verified: verified, ...(name && { name }) };
}
