import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type Workshop = Schemas["Workshop"];
export type WorkshopState = Workshop["state"];
export type WorkshopChanges = Schemas["Changes"];
/** What the form asks for. */
export type WorkshopDraft = Schemas["WorkshopDraft"] &
  Required<Pick<Schemas["WorkshopDraft"], "network" | "guests" | "hosts">>;
export type Room = Schemas["Room"];
export type RoomSize = Schemas["RoomSize"];
/** What a participant knows before they join. */
export type JoinInfo = Schemas["Invitation"];
export type Joined = Schemas["Joined"];
/** What the hosts see while the workshop goes on. Of seats that nobody has, the state is invited. */
export type Board = Schemas["Board"];
export type Seat = Schemas["BoardSeat"];
export type SeatState = Seat["state"];
export type CellCount = Schemas["BoardCell"];
export type SentMessage = Schemas["Message"];
export type Handout = Schemas["Handout"];
export type Report = Schemas["Report"];
/** A workshop that belongs to an event. */
export type EventWorkshop = Schemas["Held"];

/** What brings somebody without an account back to a seat. */
export interface OwnSeat {
  seat: number;
  seatCode: string;
}

export type JoinWish = { name?: string; code: string } | OwnSeat;
