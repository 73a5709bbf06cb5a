/** The credentials of a request. */
export interface Credentials {
  accessToken: string;
  /** Tells people apart: not every provider sends an e-mail. */
  subject: string;
  email: string;
}

let source: () => Credentials | undefined = () => undefined;
let refused: (accessToken: string) => Promise<boolean> = async () => false;

/** The credentials to send now; undefined for an anonymous caller. */
export function getToken(): Credentials | undefined {
  return source();
}

/** Sets the source of the credentials. Called once, by the part of the page that knows who is signed in. */
export function setTokenSource(next: () => Credentials | undefined): void {
  source = next;
}

/**
 * Sets the handler for rejected tokens: it receives the token that was sent, and returns whether there is another one to
 * try.
 */
export function onTokenRefused(handler: (accessToken: string) => Promise<boolean>): void {
  refused = handler;
}

/** Reports that the server answered 401 to a request with this token; true when there is another one to try. */
export function tokenRefused(accessToken: string): Promise<boolean> {
  return refused(accessToken);
}
