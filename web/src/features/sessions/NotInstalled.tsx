import { useQuery } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { LeftOut } from "./LeftOut";
import { notInstalledMessages as messages } from "./NotInstalled.messages";

/** What sessions of an entry would leave out of what its repository asks for; nothing while that isn't known. */
export function NotInstalled({ entry }: { entry: string }) {
  const { data } = useQuery({
    queryKey: ["environment", entry],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/rf/resources/public/{id}/environment", { params: { path: { id: entry } }, signal })),
    // Its code host may be away, and a start says it too.
    retry: false,
  });
  return <LeftOut label={messages.notInstalled} leftOut={data?.leftOut} />;
}
