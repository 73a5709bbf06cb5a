import { useQuery } from "@tanstack/react-query";
import type { Resource } from "@/api/types";
import { webAddress } from "@/lib/links";
import { fileSize } from "@/lib/measures";
import { totalQuery } from "./datasetQueries";
import { Fact, When } from "./Fact";
import { folderQuery } from "./files/queries";
import { measuredFactsMessages as messages } from "./MeasuredFacts.messages";

/** The facts that are counted where an entry's files are, from the answers that their list needs anyway. */
export function MeasuredFacts({ resource: { id, type, datasetUrl, dataMissing } }: { resource: Resource }) {
  if (type === "REPOSITORY") return <RepositoryFacts id={id} />;
  if (type === "DATASET" && !dataMissing && !webAddress(datasetUrl)) return <DatasetFacts id={id} />;
  return null;
}

function RepositoryFacts({ id }: { id: string }) {
  const { data } = useQuery(folderQuery(id, ""));
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
  const { data } = useQuery(totalQuery(id));
  if (!data || data.files === 0) return null;
  return <Fact name={messages.size}>{messages.total(data)}</Fact>;
}
