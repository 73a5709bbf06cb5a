import { Problem } from "@/api/problem";
import { toast } from "@/ui/toast";
import { privacyMessages } from "./privacy.messages";
import { invalidPrivacyMessages as words } from "./tellOfPrivacy.messages";

/** Shows a notice if one of a descriptor's faults is an invalid privacy. */
export function tellOfPrivacy(error: unknown, file: string) {
  if (!(error instanceof Problem && error.fields.some(({ location }) => /(^|: )privacy$/.test(location)))) return;
  const valid = Object.keys(privacyMessages).join(", ");
  toast.error(words.title, words.text(error.draft?.file ?? file, valid));
}
