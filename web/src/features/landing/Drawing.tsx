import type { ReactElement } from "react";
import type { Config } from "@/api/types";
import { ConnectDrawing, RepeatDrawing, ResumeDrawing, ShareDrawing } from "./FeatureDrawings";
import { FluidDrawing, SpikesDrawing } from "./FieldDrawings";

type Name = Exclude<NonNullable<NonNullable<Config["site"]["landing"]["picture"]>["drawing"]>, "balance">;

const drawings: Record<Name, () => ReactElement> = {
  resume: ResumeDrawing,
  share: ShareDrawing,
  connect: ConnectDrawing,
  repeat: RepeatDrawing,
  fluid: FluidDrawing,
  spikes: SpikesDrawing,
};

/** One of the page's drawings. */
export function Drawing({ of }: { of: Name }) {
  const Chosen = drawings[of];
  return <Chosen />;
}
