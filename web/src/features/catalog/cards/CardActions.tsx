import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import type { Resource } from "@/api/types";
import { aboveCardLink } from "@/ui/Card";
import { Icon } from "@/ui/Icon";
import { Menu, type MenuItem } from "@/ui/Menu";
import { resourceCardMessages as messages } from "./ResourceCard.messages";

const DeleteResource = lazy(async () => ({
  default: (await import("@/features/catalog/DeleteResource")).DeleteResource,
}));

/** What can be done with the entry of a card. */
export function CardActions({ resource }: { resource: Resource }) {
  const { name, canDelete } = resource;
  const [deleting, setDeleting] = useState(false);
  const client = useQueryClient();
  const actions: MenuItem[] = [];
  if (resource.canCurate && !resource.hidden)
    actions.push({
      label: messages.hide,
      icon: "eyeOff",
      danger: true,
      onSelect: async () => (await import("@/features/catalog/curation/hideNow")).hideNow(client, resource),
    });
  if (canDelete)
    actions.push({ label: messages.delete, icon: "trash", danger: true, onSelect: () => setDeleting(true) });
  return (
    <>
      <Menu className={aboveCardLink} label={messages.actions(name)} items={actions}>
        <Icon name="more" />
      </Menu>
      {deleting && (
        <Suspense>
          <DeleteResource resource={resource} onClose={() => setDeleting(false)} />
        </Suspense>
      )}
    </>
  );
}
