import { useAccount } from "@/features/identity/useAccount";
import { LinkButton } from "@/ui/Button";
import { prepareLinkMessages as messages } from "./PrepareLink.messages";

/** Leads those who may host to the form of a workshop of something. */
export function PrepareLink({ of, id, small = false }: { of: "entry" | "event"; id: string; small?: boolean }) {
  if (useAccount().data?.mayHost !== true) return null;
  return (
    <LinkButton to={`/workshops/new?${new URLSearchParams({ [of]: id })}`} {...(small && { size: "small" })}>
      {messages.prepare}
    </LinkButton>
  );
}
