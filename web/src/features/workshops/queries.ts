import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { addressOf, answer, api } from "@/api/client";
import { transport } from "@/api/transport";
import type { Session, ShareRequest } from "@/api/types";
import { requestTimeout } from "@/lib/constants";
import { isId } from "@/lib/ids";
import type {
  Handout,
  Joined,
  JoinInfo,
  JoinWish,
  OwnSeat,
  Report,
  Room,
  SentMessage,
  Workshop,
  WorkshopChanges,
  WorkshopDraft,
} from "./types";

/** The prefix of all queries about workshops. */
export const workshopsKey = ["workshops"];

const quick = 5_000; // milliseconds between looks at a workshop that goes on, or is about to
const slow = 30_000; // and at all others

/** Those that the caller hosts. */
export const workshopsQuery = queryOptions({
  queryKey: [...workshopsKey, "mine"],
  queryFn: ({ signal }): Promise<Workshop[]> => answer(api.GET("/api/v1/rf/workshops", { signal })),
  refetchInterval: slow,
});

export const workshopQuery = (id: string) =>
  queryOptions({
    queryKey: [...workshopsKey, "one", id],
    queryFn: ({ signal }): Promise<Workshop> =>
      answer(api.GET("/api/v1/rf/workshops/{id}", { params: { path: { id } }, signal })),
    enabled: isId(id),
    refetchInterval: ({ state: { data } }) => (data?.state === "OPEN" || data?.state === "WARMING" ? quick : slow),
  });

/** What the room is asked for. */
export interface RoomWish {
  engine?: string;
  profile?: string;
  startsAt: string;
  endsAt: string;
  seats: number;
  /** The workshop that is changed, whose own places are free. */
  except?: string;
}

/** Whether the machine can carry so many seats at that time. */
export const roomQuery = (wish: RoomWish | undefined) =>
  queryOptions({
    queryKey: [...workshopsKey, "room", wish],
    queryFn: ({ signal }): Promise<Room> =>
      answer(
        api.GET("/api/v1/rf/workshops/room", { params: { query: { startsAt: "", endsAt: "", ...wish } }, signal }),
      ),
    enabled: wish !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });

export const createWorkshop = (body: WorkshopDraft): Promise<Workshop> =>
  answer(api.POST("/api/v1/rf/workshops", { body }));

export const changeWorkshop = (id: string, body: WorkshopChanges): Promise<Workshop> =>
  answer(api.PATCH("/api/v1/rf/workshops/{id}", { params: { path: { id } }, body }));

export const deleteWorkshop = (id: string): Promise<boolean> =>
  answer(api.DELETE("/api/v1/rf/workshops/{id}", { params: { path: { id } } }));

export const openWorkshop = (id: string): Promise<Workshop> =>
  answer(api.POST("/api/v1/rf/workshops/{id}/open", { params: { path: { id } } }));

export const renewCode = (id: string): Promise<Workshop> =>
  answer(api.POST("/api/v1/rf/workshops/{id}/code", { params: { path: { id } } }));

export const extendWorkshop = (id: string, minutes: number): Promise<Workshop> =>
  answer(api.POST("/api/v1/rf/workshops/{id}/extend", { params: { path: { id } }, body: { minutes } }));

/** Ends it after such a while, such as "2m". */
export const endWorkshop = (id: string, notice: string): Promise<Workshop> =>
  answer(api.POST("/api/v1/rf/workshops/{id}/end", { params: { path: { id } }, body: { notice } }));

export const sendMessage = (id: string, text: string): Promise<SentMessage> =>
  answer(api.POST("/api/v1/rf/workshops/{id}/messages", { params: { path: { id } }, body: { text } }));

/** How long a large file may take on its way, in milliseconds. */
const filePatience = 10 * 60_000;

/** Gives everybody a file, whose content is in Base64, or what another commit changes. */
export async function handOut(id: string, what: { name: string; content: string } | { ref: string }): Promise<Handout> {
  const request = new Request(addressOf("/api/v1/rf/workshops/{id}/handouts", { path: { id } }), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(what),
  });
  return (await transport(request, filePatience)).json();
}

export const freeSeat = (id: string, seat: number): Promise<boolean> =>
  answer(api.DELETE("/api/v1/rf/workshops/{id}/seats/{seat}", { params: { path: { id, seat } } }));

export const lowerHand = (id: string, seat: number): Promise<boolean> =>
  answer(api.DELETE("/api/v1/rf/workshops/{id}/seats/{seat}/hand", { params: { path: { id, seat } } }));

/** Asks whoever sits there to let the host in. */
export const askToSee = (id: string, seat: number, can: "see" | "edit"): Promise<ShareRequest> =>
  answer(
    api.POST("/api/v1/rf/workshops/{id}/seats/{seat}/requests", { params: { path: { id, seat } }, body: { can } }),
  );

export const reportQuery = (id: string) =>
  queryOptions({
    queryKey: [...workshopsKey, "one", id, "report"],
    queryFn: ({ signal }): Promise<Report> =>
      answer(api.GET("/api/v1/rf/workshops/{id}/report", { params: { path: { id } }, signal })),
    enabled: isId(id),
  });

/** The report as a table for other programs, with the participants' names if those are asked for. */
export async function downloadReport(id: string, names: boolean): Promise<Blob> {
  const query = names ? { names } : {};
  const address = addressOf("/api/v1/rf/workshops/{id}/report.csv", { path: { id }, query });
  return (await transport(new Request(address), filePatience)).blob();
}

const everyMinute = 60_000;

/** Everybody waits for the same moment: within so many milliseconds after it, they ask one by one. */
const spread = 2_000;

/** When to look again at what somebody waits for, in milliseconds. */
export function joinInterval(info: JoinInfo | undefined, now: number, chance = Math.random()): number | false {
  if (!info || info.state === "ENDED") return info ? everyMinute : false;
  if (info.open) return info.full ? quick + spread * chance : everyMinute;
  const left = new Date(info.opensAt).getTime() - now;
  return Math.min(everyMinute, Math.max(quick / 2, left) + spread * chance);
}

export const joinQuery = (key: string, subject: string) =>
  queryOptions({
    queryKey: [...workshopsKey, "join", key, subject],
    queryFn: ({ signal }): Promise<JoinInfo> =>
      answer(api.GET("/api/v1/rf/join/{key}", { params: { path: { key } }, signal })),
    refetchInterval: ({ state }) => joinInterval(state.data, Date.now()),
  });

/** Takes a seat, or comes back to it. */
export const join = (key: string, body: JoinWish): Promise<Joined> =>
  answer(api.POST("/api/v1/rf/join/{key}", { params: { path: { key } }, body }));

/** An address that downloads the work of a seat once. */
export const workAddress = async (key: string, seat: OwnSeat | undefined): Promise<string> =>
  (await answer(api.POST("/api/v1/rf/join/{key}/work", { params: { path: { key } }, body: { ...seat } }))).url;

/** How a seat's session is: guests have a token for that, and the others are signed in. */
export const seatSessionQuery = ({ id, token }: Pick<Joined, "id" | "token">) =>
  queryOptions({
    queryKey: [...workshopsKey, "seat", id],
    queryFn: async ({ signal }): Promise<Pick<Session, "status" | "queuePosition">> => {
      const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      const address = addressOf("/api/v1/rf/sessions/{id}", { path: { id } });
      return (await transport(new Request(address, { headers, signal }), requestTimeout)).json();
    },
    retry: false,
    refetchInterval: ({ state }) => !state.error && state.data?.status !== "RUNNING" && quick / 2,
  });
