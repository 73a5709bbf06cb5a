import { answer, api } from "@/api/client";
import type { Descriptor, Resource } from "@/api/types";

/** What the page sends as the header image of a repository without one. */
const placeholder = "image.png";

/** Reads the current descriptor of a repository. For a sync, a missing privacy is PUBLIC. */
export function pullDescriptor(githubUrl: string, sync = false, signal?: AbortSignal): Promise<Descriptor> {
  const query = { githubUrl, ...(sync && { sync }) };
  return answer(api.GET("/api/v1/rf/codehost/descriptor", { params: { query }, ...(signal && { signal }) }));
}

/** Adds a repository after a review of its descriptor. */
export function addRepository({ seen, addAs }: { seen: Descriptor; addAs?: "adder" | undefined }) {
  const query = { githubUrl: seen.repositoryUrl };
  const body = { ...copyOf(seen), ...(addAs && { addAs }) };
  return answer(api.POST("/api/v1/rf/resources/repository", { params: { query }, body }));
}

/** Updates an entry from its reviewed descriptor. */
export function syncRepository(id: string, seen: Descriptor): Promise<Resource> {
  return answer(api.PATCH("/api/v1/rf/resources/repository", { body: { id, ...copyOf(seen) } }));
}

/** The fields that the server compares with the descriptor that it reads itself. */
function copyOf({ name, description, tags, authors, privacy }: Descriptor) {
  return {
    name,
    headerImage: placeholder,
    description,
    tags,
    ...(authors && { authors }),
    ...(privacy && { privacy }),
  };
}
