import { useMutation } from "@tanstack/react-query";
import { useConfig } from "@/api/config";
import { messageOf } from "@/api/problem";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { toast } from "@/ui/toast";
import { versionLink } from "../queries";
import { checkedTarget } from "../redirectTarget";
import { versionsMessages as messages } from "./Versions.messages";

interface DownloadButtonProps {
  session: string;
  version: string;
  /** A file in the work folder; "" for all of it, as a zip file. */
  path: string;
  /** The button's name, where there are several. */
  label?: string;
}

/** Downloads a version, or a file of it. The browser itself gets it, so that a big one goes to disk as it comes. */
export function DownloadButton({ session, version, path, label }: DownloadButtonProps) {
  const { sessions } = useConfig();
  const download = useMutation({
    mutationFn: async () => checkedTarget(await versionLink(session, version, path), sessions.url),
    onSuccess: (address) => location.assign(address),
    onError: (error) => toast.error(messages.downloadFailed, messageOf(error)),
  });
  return (
    <Button size="small" aria-label={label} busy={download.isPending} onClick={() => download.mutate()}>
      <Icon name="download" size={16} /> {messages.download}
    </Button>
  );
}
