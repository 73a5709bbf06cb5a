import type { Resource } from "@/api/types";
import { datasetFolder, repositoryFolder } from "@/lib/folders";
import { webAddress } from "@/lib/links";
import { shellWord } from "@/lib/shell";
import { CopyText } from "@/ui/CopyText";
import { Tabs } from "@/ui/Tabs";
import { waysToUseMessages as messages } from "./WaysToUse.messages";

interface Way {
  /** The tab. */
  name: string;
  /** What is copied. */
  label: string;
  text: string;
  note?: string;
}

/** The addresses and paths of a repository or a dataset, one at a time. */
export function WaysToUse({ of: { type, repositoryUrl = "", datasetUrl = "" } }: { of: Resource }) {
  const ways = type === "REPOSITORY" ? ofRepository(repositoryUrl) : ofDataset(datasetUrl);
  return (
    <Tabs
      label={messages.ways}
      tabs={ways.map(({ name, label, text, note }) => ({
        name,
        content: (
          <>
            <CopyText label={label} text={text} />
            {note && <p>{note}</p>}
          </>
        ),
      }))}
    />
  );
}

function ofRepository(address: string): Way[] {
  return [
    { name: messages.clone, label: messages.cloneCommand, text: `git clone ${shellWord(address)}` },
    { name: messages.address, label: messages.cloneAddress, text: address },
    { name: messages.inSession, label: messages.pathInSession, text: repositoryFolder(address) },
  ];
}

function ofDataset(address: string): Way[] {
  const folder = datasetFolder(address);
  const variable = `$CAIRN_DATASETS/${folder.slice(folder.lastIndexOf("/") + 1)}`;
  const inSessions = [
    { name: messages.inSession, label: messages.pathInSession, text: folder, note: messages.readOnly },
    { name: messages.inCode, label: messages.pathForPrograms, text: variable, note: messages.anyFolder },
  ];
  // What is included with the server, or kept by it, has no address of its own.
  if (/^(bundled|kept):/.test(address)) return inSessions;
  const atHost = webAddress(address);
  const name = atHost ? messages.address : messages.onServer;
  return [...inSessions, { name, label: atHost ? messages.addressCopied : messages.folder, text: atHost ?? address }];
}
