import { afterEach, expect, test, vi } from "vitest";
import { positionPopover } from "./positionPopover";

afterEach(() => vi.unstubAllGlobals());

/** Places a popover of 100 x 20 px at an anchor of 30 x 20 px in a window of 400 x 300 px. */
function placed(left: number, top: number, align: Parameters<typeof positionPopover>[2]) {
  vi.stubGlobal("window", { innerWidth: 400, innerHeight: 300 });
  const style = { left: "", top: "" };
  const rectangle = { left, top, right: left + 30, bottom: top + 20, width: 30, height: 20 };
  const anchor = { getBoundingClientRect: () => rectangle } as unknown as HTMLElement;
  positionPopover({ offsetWidth: 100, offsetHeight: 20, style } as unknown as HTMLElement, anchor, align);
  return style;
}

test.each([
  ["below its anchor", placed(200, 100, "center"), { left: "165px", top: "126px" }],
  ["above at the lower edge", placed(200, 270, "center"), { left: "165px", top: "244px" }],
  ["with the right edges in line", placed(200, 100, "end"), { left: "130px", top: "126px" }],
  ["inside the window", placed(0, 100, "center"), { left: "8px", top: "126px" }],
  ["beside its anchor", placed(200, 100, "beside"), { left: "236px", top: "100px" }],
  ["below if there is no room beside", placed(350, 100, "beside"), { left: "292px", top: "126px" }],
])("a popover is placed %s", (_, got, want) => {
  expect(got).toEqual(want);
});
