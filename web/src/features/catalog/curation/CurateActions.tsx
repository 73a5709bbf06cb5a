import { useState } from "react";
import type { Resource } from "@/api/types";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { Menu, type MenuItem } from "@/ui/Menu";
import { useCurate } from "./curate";
import { curateMessages as messages } from "./curate.messages";
import { HideDialog } from "./HideDialog";

interface CurateActionsProps {
  entry: Pick<Resource, "id" | "name" | "hidden" | "featured" | "status">;
  size?: "small" | "medium";
  /** Further decisions, at the end of the menu. */
  items?: MenuItem[];
}

/** What operators decide about an entry. */
export function CurateActions({ entry, size = "medium", items = [] }: CurateActionsProps) {
  const { id, name, hidden = false, featured = false, status } = entry;
  const [hiding, setHiding] = useState(false);
  const { mutate, isPending } = useCurate(id);
  const decisions: MenuItem[] = [
    {
      label: featured ? messages.unfeature : messages.feature,
      icon: "place",
      onSelect: () => mutate({ featured: !featured }),
    },
    status === "VERIFIED"
      ? { label: messages.unverify, icon: "check", onSelect: () => mutate({ status: "NONE" }) }
      : { label: messages.verify, icon: "check", onSelect: () => mutate({ status: "VERIFIED" }) },
    status === "REJECTED"
      ? { label: messages.unverify, icon: "error", onSelect: () => mutate({ status: "NONE" }) }
      : { label: messages.reject, icon: "error", onSelect: () => mutate({ status: "REJECTED" }) },
  ];
  const menu = [...(hidden ? [] : decisions), ...items];
  return (
    <>
      {hidden ? (
        <Button
          size={size}
          busy={isPending}
          aria-label={messages.showOf(name)}
          onClick={() => mutate({ hidden: false })}
        >
          <Icon name="eye" />
          {messages.show}
        </Button>
      ) : (
        <Button size={size} busy={isPending} aria-label={messages.hideOf(name)} onClick={() => setHiding(true)}>
          <Icon name="eyeOff" />
          {messages.hide}
        </Button>
      )}
      {menu.length > 0 && (
        <Menu label={messages.more(name)} items={menu}>
          <Icon name="more" />
        </Menu>
      )}
      {hiding && <HideDialog id={id} name={name} onClose={() => setHiding(false)} />}
    </>
  );
}
