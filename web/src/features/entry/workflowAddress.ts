import type { Config, Resource } from "@/api/types";
import { webAddress } from "@/lib/links";

/** Where the workflow platform makes an experiment of a model; undefined while the operators have named no address. */
export function workflowAddress(model: Resource, { workflow }: Config): string | undefined {
  const id = encodeURIComponent(model.applicationInterfaceId ?? "");
  return webAddress(workflow.url.replaceAll("{applicationInterfaceId}", id));
}
