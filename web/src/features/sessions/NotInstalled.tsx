import { useQuery } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { ofVersion, useVersion } from "@/api/version";
import { LeftOut } from "./LeftOut";
import { notInstalledMessages as messages } from "./NotInstalled.messages";

/** What sessions of an entry would leave out of what its repository asks for; nothing while that isn't known. */
export function NotInstalled({ entry }: { entry: string }) {
  const version = useVersion();
  const { data } = useQuery({
    queryKey: ["environment", entry, version],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/environment", { params: ofVersion(entry, version), signal })),
    // Its code host may be away, and a start says it too.
    retry: false,
  });
  return <LeftOut label={messages.notInstalled} leftOut={data?.leftOut} />;
}
