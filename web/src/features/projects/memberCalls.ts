import { answer, api } from "@/api/client";
import type { Member } from "@/api/types";

type Role = Member["role"];

/** Shares a project with somebody, or gives them another role. */
export const setMember = (id: string, email: string, role: Role) =>
  answer(api.PUT("/api/v1/rf/projects/{id}/members/{email}", { params: { path: { id, email } }, body: { role } }));

/** Removes a member from a project; members leave it so. */
export const removeMember = (id: string, email: string) =>
  answer(api.DELETE("/api/v1/rf/projects/{id}/members/{email}", { params: { path: { id, email } } }));

/** Offers a project to another owner. */
export const offerProject = (id: string, email: string) =>
  answer(api.POST("/api/v1/rf/projects/{id}/transfer", { params: { path: { id } }, body: { email } }));

/** Accepts a project that is offered to the caller, who owns it then. */
export const acceptProject = (id: string) =>
  answer(api.POST("/api/v1/rf/projects/{id}/transfer", { params: { path: { id } }, body: { accept: true } }));

/** Refuses a project that is offered to the caller, or withdraws the caller's own offer. */
export const endOffer = (id: string) =>
  answer(api.DELETE("/api/v1/rf/projects/{id}/transfer", { params: { path: { id } } }));
