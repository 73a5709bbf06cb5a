/** What files look like that may have a secret in them. */
export const secretsMessages = {
  kinds: {
    private_key: "looks like a private key",
    token: "has what looks like an access token",
    jwt: "has what looks like a signed token",
    password_in_address: "has an address with a password",
    generic_secret: "has what looks like a password or a key",
    env_file: "often has passwords and keys in it",
    credentials_file: "is where programs keep passwords and keys",
    not_searched: "couldn't be searched",
  },
  place: (line = 0, cell = 0) => (cell > 0 && `(cell ${cell})`) || (line > 0 && `(line ${line})`) || "",
} as const;
