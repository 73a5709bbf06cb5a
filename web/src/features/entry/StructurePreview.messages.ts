import { count } from "@/lib/format";

export const structurePreviewMessages = {
  label: (path: string) => `Content of ${path}`,
  formats: { HDF5: "HDF5", NETCDF: "NetCDF (classic)" },
  /** "HDF5, 12 variables." */
  summary: (format: string, variables: number, complete: boolean) =>
    `${format}, ${complete ? "" : "more than "}${count(variables, "variable", "variables")}.`,
  cut: "There is more in this file than is shown.",
  empty: "There is nothing in this file.",
  attributesOfFile: "Attributes of the file",
  members: (members: number) => count(members, "member", "members"),
  noMembers: "empty group",
  single: "single value",
  axis: (size: string, name?: string) => (name === undefined ? size : `${name} ${size}`),
  unlimited: "can grow",
  unit: (units: string) => `in ${units}`,
  type: "named type",
  link: (target: string) => `leads to ${target}`,
  unreadable: "can't be read",
  moreAttributes: (attributes: number) => `${count(attributes, "more attribute is", "more attributes are")} not shown.`,
} as const;
