import { fieldFaults, messageOf } from "@/api/problem";
import type { Member } from "@/api/types";
import { membersMessages as messages } from "./members.messages";

/** What is wrong with the address of a new member, before it is sent. */
export function addressFault(address: string, members: Member[]): string | undefined {
  const email = address.trim().toLowerCase();
  if (email === "") return messages.noAddress;
  return members.some((member) => member.email === email) ? messages.memberAlready(email) : undefined;
}

/** Why the server refused an address, wherever in the call it stood; undefined without an error. */
export function addressRefusal(error: unknown): string | undefined {
  if (!error) return undefined;
  const { "path.email": inPath, email } = fieldFaults(error);
  return inPath ?? email ?? messageOf(error);
}
