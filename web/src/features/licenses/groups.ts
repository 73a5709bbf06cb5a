import type { LicensedComponent } from "@/api/types";

/** Components under the same licence. */
export interface LicenseGroup {
  license: string;
  components: LicensedComponent[];
}

/** Those whose name or licence has the text in it, by licence: the one of the most components first. */
export function groupByLicense(components: LicensedComponent[], text: string): LicenseGroup[] {
  const wanted = text.trim().toLowerCase();
  const groups = new Map<string, LicensedComponent[]>();
  for (const component of components) {
    if (!`${component.name}\n${component.license}`.toLowerCase().includes(wanted)) continue;
    const group = groups.get(component.license);
    if (group) group.push(component);
    else groups.set(component.license, [component]);
  }
  return [...groups]
    .map(([license, members]) => ({ license, components: members }))
    .sort((one, other) => other.components.length - one.components.length || (one.license < other.license ? -1 : 1));
}

/** The anchor of a component; no two have the same. */
export function anchorOf({ name, version }: LicensedComponent): string {
  return `${name}@${version}`.replace(/\s+/g, "-");
}
