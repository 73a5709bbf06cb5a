/** Why an account may not start sessions. */
export const notEnabledMessages = {
  noAddress:
    "You can't start sessions yet: your identity provider doesn't share a verified e-mail address for you. Verify your address there and sign in again.",
  askThem: (email: string, contact: string) =>
    `You can't start sessions yet: the operators have to enable your account (${email}). Ask ${contact || "the operators of this server"}.`,
  wordless: (contact: string) =>
    `Your account was probably just created and isn't enabled yet. Contact ${contact || "the operators"}.`,
  ask: "Ask the operators",
  advice: (email: string, contact: string) =>
    contact === ""
      ? `This server doesn't publish its operators' address. Send the address of your account, ${email}, to the person who invited you here.`
      : `Send the address of your account, ${email}, to ${contact}.`,
  subject: "Account to enable",
  body: (email: string) => `Hello,\n\nI'd like to start sessions. Could you enable my account, ${email}?\n`,
} as const;
