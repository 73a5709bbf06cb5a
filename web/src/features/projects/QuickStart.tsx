import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Project } from "@/api/types";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { quickStartMessages as messages } from "./QuickStart.messages";
import { associatedProjectsQuery } from "./queries";
import { startMessages } from "./start.messages";
import { useStartOrSignIn } from "./useStart";

interface QuickStartProps {
  resourceId: string;
  onStart: (project: Project) => void;
  /** Receives the button; null if no project can be started, undefined while unknown. */
  children: (button: ReactNode) => ReactNode;
}

/** A button at the top of a resource's page that starts a session of the first project in the list further down. */
export function QuickStart({ resourceId, onStart, children }: QuickStartProps) {
  const { data, isPending } = useQuery(associatedProjectsQuery(resourceId));
  const start = useStartOrSignIn(onStart);
  const project = data?.find(({ available }) => available);
  if (isPending) return children(undefined);
  if (!project) return children(null);
  return children(
    <Button title={messages.ofProject(project.name)} onClick={() => start(project)}>
      <Icon name="play" />
      {startMessages.start}
    </Button>,
  );
}
