import type { Config, Resource } from "@/api/types";
import { webAddress } from "@/lib/links";

/** Where the workflow platform creates an experiment from a model; undefined unless operators have configured an address. */
export function workflowAddress(model: Resource, { workflow }: Config): string | undefined {
  const id = encodeURIComponent(model.applicationInterfaceId ?? "");
  return webAddress(workflow.url.replaceAll("{applicationInterfaceId}", id));
}
