import { toast } from "@/ui/toast";
import { resourceTypes } from "./kinds";
import { unknownTypesMessages as messages } from "./unknownTypes.messages";

/** Says that types of an address don't exist. */
export function tellUnknownTypes(unknown: string): void {
  toast.error(messages.invalidType, messages.validTypes(unknown, resourceTypes));
}
