import { useMutation } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import { saveFile } from "@/lib/saveFile";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { toast } from "@/ui/toast";
import { downloadReport } from "./queries";
import { workshopPageMessages as messages } from "./WorkshopPage.messages";

/** Downloads the report as a table. */
export function DownloadReport({ id, names = false }: { id: string; names?: boolean }) {
  const download = useMutation({
    mutationFn: () => downloadReport(id, names),
    onSuccess: (content) => saveFile(content, `workshop-${id}.csv`),
    onError: (error) => toast.error(messages.notDownloaded, messageOf(error)),
  });
  return (
    <Button busy={download.isPending} onClick={() => download.mutate()}>
      <Icon name="download" />
      {messages.csv}
    </Button>
  );
}
