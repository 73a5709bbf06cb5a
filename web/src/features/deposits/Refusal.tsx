import { messageOf } from "@/api/problem";
import type { Resource } from "@/api/types";
import { resourcePath } from "@/features/catalog/kinds";
import { Note } from "@/ui/Note";
import { TextLink } from "@/ui/TextLink";
import { type Help, helpAgainst, helpPage, type Step } from "./deposit";
import { depositsMessages as messages } from "./deposits.messages";

const connectionsPath = "/account/connections";

interface HelpLinkProps {
  help: Help | undefined;
  resource: Resource;
}

/** The page on which something can be done, as a paragraph; nothing if there is none. */
export function HelpLink({ help, resource }: HelpLinkProps) {
  const page = helpPage(help);
  if (page === undefined) return null;
  if (page === "connections") {
    return (
      <p>
        <TextLink href={connectionsPath}>{messages.connect}</TextLink>
      </p>
    );
  }
  if (resource.canEdit) {
    const field = help === "license" ? "#license" : "";
    return (
      <p>
        <TextLink href={`${resourcePath(resource)}/edit${field}`}>{messages.edit}</TextLink>
      </p>
    );
  }
  return help === "license" && resource.canSync ? <p>{messages.syncLicense}</p> : null;
}

interface RefusalProps {
  error: unknown;
  step: Step;
  archive: string;
  resource: Resource;
}

/** Why a call about a deposit was refused, and what to do. */
export function Refusal({ error, step, archive, resource }: RefusalProps) {
  const help = helpAgainst(error, step);
  return (
    <Note kind="error" role="alert">
      <p>{help ? messages.helps[help](archive) : messageOf(error)}</p>
      <HelpLink help={help} resource={resource} />
    </Note>
  );
}
