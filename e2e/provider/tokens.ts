import { generateKeyPair, type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";

/** A key that signs tokens with RS256. */
export interface SigningKey {
  id: string;
  secret: KeyObject;
}

export async function newKey(id: string): Promise<SigningKey> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  return { id, secret: privateKey };
}

export const jwkOf = ({ id, secret }: SigningKey) => ({ ...secret.export({ format: "jwk" }), kid: id, alg: "RS256", use: "sig" });

/** Signs a JWT access token, with the type that RFC 9068 requires. */
export function signedToken({ id, secret }: SigningKey, claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const text = `${encode({ typ: "at+jwt", alg: "RS256", kid: id })}.${encode(claims)}`;
  return `${text}.${sign("sha256", Buffer.from(text), secret).toString("base64url")}`;
}
