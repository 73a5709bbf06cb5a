import { expect, test } from "vitest";
import { Problem } from "@/api/problem";
import type { Project, Resource } from "@/api/types";
import { changeOf, draftFaults, type ProjectDraft, rebased, refusal, toggledPart, wantedParts } from "./draft";

const part = (id: string, privacy: Resource["privacy"] = "PUBLIC") => ({ id, name: id, privacy }) as Resource;
const whole: ProjectDraft = { name: "Spikes", repository: part("code"), datasets: [part("d1")], published: false };

test("what is missing is said in the order of the specification", () => {
  const texts = (draft: ProjectDraft, email: string) => draftFaults(draft, email).map(({ message }) => message);
  const empty: ProjectDraft = { name: " \t", repository: undefined, datasets: [], published: false };
  expect(texts(empty, "")).toEqual([
    "Please log in again.",
    "Please enter a project name.",
    "Please select a repository.",
  ]);
  expect(texts({ ...empty, name: "x" }, "ada@example.org")).toEqual(["Please select a repository."]);
  expect(texts(whole, "ada@example.org")).toEqual([]);
});

test("a published project has public parts alone", () => {
  const draft = { ...whole, repository: part("code", "PRIVATE"), datasets: [part("d1"), part("d2", "PRIVATE")] };
  expect(draftFaults(draft, "ada@example.org")).toEqual([]);
  expect(draftFaults({ ...draft, published: true }, "ada@example.org")).toEqual([
    { field: "published", message: "“code”, “d2” are private. All parts of a published project must be public." },
  ]);
});

test("a change sends the datasets only if they are others, because the server checks what is sent", () => {
  const updatedAt = "2026-01-01T00:00:00Z";
  const project = { datasetResources: whole.datasets, published: true, updatedAt } as Project;
  expect(changeOf(project, { ...whole, name: " New " })).toEqual({ name: "New", published: false, updatedAt });
  const more = { ...whole, datasets: [...whole.datasets, part("d2")], published: true };
  expect(changeOf(project, more)).toEqual({ name: "Spikes", published: true, datasetIds: ["d1", "d2"], updatedAt });
  expect(changeOf(project, { ...whole, datasets: [] }).datasetIds).toEqual([]);
});

test("after somebody else's change, one's own changes stay, and the rest is as it is now", () => {
  const base = {
    name: "Spikes",
    repositoryResource: part("code"),
    datasetResources: [part("d1")],
    published: false,
  } as Project;
  const now = { ...base, name: "Bursts", datasetResources: [part("d2")], published: true };
  const [code, d1, d2, d3] = ["code", "d1", "d2", "d3"].map((id) => part(id)) as [
    Resource,
    Resource,
    Resource,
    Resource,
  ];
  const untouched = { name: "Spikes", repository: code, datasets: [d1], published: false };
  expect(rebased(untouched, base, now)).toEqual({ name: "Bursts", repository: code, datasets: [d2], published: true });
  expect(rebased({ ...untouched, name: "Mine", datasets: [d1, d3] }, base, now)).toEqual({
    name: "Mine",
    repository: code,
    datasets: [d1, d3],
    published: true,
  });
});

test("a published project that lost a part can still be renamed, but not get other datasets", () => {
  const datasets = [part("d1", "PRIVATE")];
  const project = { datasetResources: datasets, published: true } as Project;
  const draft = { ...whole, datasets, published: true };
  expect(draftFaults(draft, "ada@example.org", project)).toEqual([]);
  expect(draftFaults({ ...draft, datasets: [...datasets, part("d2")] }, "ada@example.org", project)).toHaveLength(1);
  expect(draftFaults(draft, "ada@example.org", { ...project, published: false })).toHaveLength(1);
});

test("a dataset is added, and taken out again", () => {
  const one = toggledPart([], part("d1"));
  expect(toggledPart(one, part("d2")).map(({ id }) => id)).toEqual(["d1", "d2"]);
  expect(toggledPart(one, part("d1"))).toEqual([]);
});

test("the address names parts, each once", () => {
  expect(wantedParts(new URLSearchParams("repositoryId=r&datasetIds=a,b,a,,"))).toEqual({
    repositoryId: "r",
    datasetIds: ["a", "b"],
  });
  expect(wantedParts(new URLSearchParams("repositoryId="))).toEqual({ repositoryId: undefined, datasetIds: [] });
});

test("a refusal names the parts that the server knows by their ids", () => {
  const refused = (location: string) => new Problem(422, "…", { fields: [{ location, message: '"d1" is odd' }] });
  const [dataset] = whole.datasets;
  expect(refusal(refused("body.datasetIds[0]"), whole)).toContain(`“${dataset?.name}” can't be part`);
  expect(refusal(refused("body.repositoryId"), whole)).toContain(`“${whole.repository?.name}” can't be part`);
  expect(refusal(refused("body.repositoryId"), { ...whole, repository: undefined })).toBe('"d1" is odd.');
  expect(refusal(refused("body.name"), whole)).toBe('"d1" is odd.');
  expect(refusal(new Problem(0, "The server cannot be reached."), whole)).toBe("The server cannot be reached.");
});
