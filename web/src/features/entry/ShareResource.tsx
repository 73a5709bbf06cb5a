import { useConfig } from "@/api/config";
import type { Resource } from "@/api/types";
import { useVersion } from "@/api/version";
import { kindOf, resourcePath } from "@/features/catalog/kinds";
import { ShareDialog } from "@/ui/ShareDialog";
import { PathsLike } from "./files/PathsLike";
import { shareResourceMessages as messages } from "./ShareResource.messages";

/** What the badge of an entry is, in words that stay right: whoever can't see the picture reads them. */
export function badgeText({ name, type, runnable }: Resource, product: string): string {
  if (!runnable) return messages.badge(name, product);
  // The catalog itself runs nothing else.
  return type === "REPOSITORY" || type === "NOTEBOOK"
    ? messages.badgeOfRun(name, product)
    : messages.badgeToRun(name, product);
}

/** Links to an entry, and to what runs it. */
export function ShareResource({ resource, onClose }: { resource: Resource; onClose: () => void }) {
  const { id, type, privacy, hidden, runnable, repositoryUrl, notebookSource } = resource;
  const { product } = useConfig();
  const version = useVersion();
  return (
    <ShareDialog
      title={messages.title(kindOf(type).label)}
      product={product}
      thing={{
        id,
        page: version ? `${resourcePath(resource)}?version=${version}` : resourcePath(resource),
        runnable: runnable === true,
        badge: privacy === "PUBLIC" && !hidden ? badgeText(resource, product) : undefined,
        isPrivate: privacy === "PRIVATE",
        source: resource.audience ? undefined : (repositoryUrl ?? notebookSource), // other sites can't read it
        hasFiles: type === "REPOSITORY",
        suggestPaths: (list, typed) => <PathsLike entry={id} list={list} typed={typed} />,
      }}
      onClose={onClose}
    />
  );
}
