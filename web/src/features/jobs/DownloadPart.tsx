import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "@/api/problem";
import { saveFile } from "@/lib/saveFile";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { toast } from "@/ui/toast";
import { jobPageMessages as messages } from "./JobPage.messages";
import { downloadPart, type JobPart } from "./queries";

interface DownloadPartProps {
  id: string;
  part: JobPart;
  /** Of the file. */
  name: string;
  title?: string;
  small?: boolean;
  children: ReactNode;
}

/** Downloads what a job has left. A link couldn't say who asks. */
export function DownloadPart({ id, part, name, title, small = false, children }: DownloadPartProps) {
  const download = useMutation({
    mutationFn: () => downloadPart(id, part),
    onSuccess: (content) => saveFile(content, name),
    onError: (error) => toast.error(messages.downloadFailed, messageOf(error)),
  });
  return (
    <Button {...(small && { size: "small" })} title={title} busy={download.isPending} onClick={() => download.mutate()}>
      <Icon name="download" size={small ? 16 : 18} />
      {children}
    </Button>
  );
}
