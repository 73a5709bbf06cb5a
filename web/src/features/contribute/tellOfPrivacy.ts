import { Problem } from "@/api/problem";
import { toast } from "@/ui/toast";
import { privacyMessages } from "./privacy.messages";
import { invalidPrivacyMessages as words } from "./tellOfPrivacy.messages";

/** Says in passing that the privacy of a descriptor is not one of the valid ones, when that is among its faults. */
export function tellOfPrivacy(error: unknown, file: string) {
  if (!(error instanceof Problem && error.fields.some(({ location }) => /(^|: )privacy$/.test(location)))) return;
  const valid = Object.keys(privacyMessages).join(", ");
  toast.error(words.title, words.text(file, valid));
}
