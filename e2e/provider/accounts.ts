/** The page's client, which signs people in. */
export const portalClient = "data-catalog-portal";
/** The resource server, which may introspect tokens. */
export const gatewayClient = "cairn-gateway";

/** The second provider's accounts, named after what happens with them. No passwords. */
export const accounts = {
  ada: { subject: "person-0001", email: "ada@institution.example", verified: true, name: "Ada Abel" },
  bob: { subject: "person-0002", email: "bob@institution.example", verified: true, name: "Bob Born" },
  /** The provider hasn't verified the e-mail. */
  unverified: { subject: "person-0003", email: "eve@institution.example", verified: false, name: "Eve Echo" },
  nameless: { subject: "person-0004", email: "noname@institution.example", verified: true, name: "" },
  /** From a domain that Cairn doesn't enable. */
  guest: { subject: "person-0005", email: "guest@elsewhere.example", verified: true, name: "Gil Guest" },
} as const;

export const accountBy = (field: "subject" | "email", value: string) =>
  Object.values(accounts).find((account) => account[field] === value);

/** The OpenID claims about a subject. */
export function claimsOf(subject: string) {
  const { email, verified, name } = accountBy("subject", subject) ?? {};
  return { email, email_verified: verified, ...(name && { name }) };
}
