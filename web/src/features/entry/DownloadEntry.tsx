import { useQuery } from "@tanstack/react-query";
import { addressOf } from "@/api/client";
import type { Resource } from "@/api/types";
import { inVersion, useVersion } from "@/api/version";
import { loginPath } from "@/lib/links";
import { Button, FileButton, LinkButton } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { useLocation } from "@/ui/router";
import { downloadEntryMessages as messages } from "./DownloadEntry.messages";
import { folderQuery } from "./datasetQueries";
import { archiveAddress } from "./files/archiveAddress";
import { notebookQuery } from "./queries";
import { resourcePageMessages } from "./ResourcePage.messages";

/** The link that downloads a notebook, all files of a dataset here, or those of a repository at a host that packs them. */
export function DownloadEntry({ resource }: { resource: Resource }) {
  const archive = archiveAddress(resource.repositoryUrl);
  if (archive) return <DownloadButton to={archive} />;
  if (resource.type === "NOTEBOOK") return <DownloadNotebook notebook={resource} />;
  return <DownloadDataset id={resource.id} />;
}

/** With the title of what is in the file. */
export function DownloadButton({ to, title }: { to: string; title?: string }) {
  return (
    <FileButton to={to} title={title}>
      <Download />
    </FileButton>
  );
}

function DownloadNotebook({ notebook: { id, privacy, hidden } }: { notebook: Resource }) {
  const isPublic = privacy === "PUBLIC" && !hidden;
  const version = useVersion();
  // Of others it is signed.
  const { data, isPending } = useQuery({ ...notebookQuery(id, version), enabled: !isPublic });
  if (data?.page) return null;
  if (isPublic) {
    const path = { id };
    const address = addressOf("/api/v1/rf/resources/public/{id}/notebook/file", { path, query: inVersion(version) });
    return <DownloadButton to={address} />;
  }
  if (isPending) return <WaitingDownload />;
  return data && <DownloadButton to={data.fileUrl} />;
}

function DownloadDataset({ id }: { id: string }) {
  const { data, isPending } = useQuery(folderQuery(id, "", useVersion()));
  const here = useLocation();
  if (isPending) return <WaitingDownload />;
  if (!data?.available) return null;
  const { state, zipUrl } = data.download;
  if (zipUrl) return <DownloadButton to={zipUrl} title={messages.allFiles} />;
  if (state !== "SIGN_IN") return null;
  return (
    <LinkButton to={loginPath(here)} title={messages.signIn}>
      <Download />
    </LinkButton>
  );
}

function WaitingDownload() {
  return (
    <Button busy>
      <Download />
    </Button>
  );
}

function Download() {
  return (
    <>
      <Icon name="download" />
      {resourcePageMessages.download}
    </>
  );
}
