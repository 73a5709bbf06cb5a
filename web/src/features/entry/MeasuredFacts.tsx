import { useQuery } from "@tanstack/react-query";
import type { Resource } from "@/api/types";
import { useVersion } from "@/api/version";
import { keptVersion } from "@/lib/keptFiles";
import { webAddress } from "@/lib/links";
import { fileSize } from "@/lib/measures";
import { totalQuery } from "./datasetQueries";
import { Fact, When } from "./Fact";
import { folderQuery } from "./files/queries";
import { measuredFactsMessages as messages } from "./MeasuredFacts.messages";

/** Where this server keeps an entry's files, and the facts that are counted there, from the answers that their list needs anyway. */
export function MeasuredFacts({ resource }: { resource: Resource }) {
  const { id, type, datasetUrl, dataMissing, entryVersion } = resource;
  const kept = keptVersion(resource);
  return (
    <>
      {kept && <Fact name={messages.files}>{messages.kept(entryVersion?.number ?? kept)}</Fact>}
      {type === "REPOSITORY" && <RepositoryFacts id={id} />}
      {type === "DATASET" && !dataMissing && !webAddress(datasetUrl) && <DatasetFacts id={id} />}
    </>
  );
}

function RepositoryFacts({ id }: { id: string }) {
  const { data } = useQuery(folderQuery(id, "", useVersion()));
  const { language, sizeBytes = 0, pushedAt } = data ?? {};
  return (
    <>
      {language && <Fact name={messages.language}>{language}</Fact>}
      {sizeBytes > 0 && <Fact name={messages.size}>{fileSize(sizeBytes)}</Fact>}
      {pushedAt && (
        <Fact name={messages.pushed}>
          <When moment={pushedAt} />
        </Fact>
      )}
    </>
  );
}

function DatasetFacts({ id }: { id: string }) {
  const { data } = useQuery(totalQuery(id, useVersion()));
  if (!data || data.files === 0) return null;
  return <Fact name={messages.size}>{messages.total(data)}</Fact>;
}
