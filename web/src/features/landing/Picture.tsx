import type { ReactElement } from "react";
import type { Config } from "@/api/types";
import { ConnectDrawing, RepeatDrawing, ResumeDrawing, ShareDrawing } from "./FeatureDrawings";
import { FluidDrawing, SpikesDrawing } from "./FieldDrawings";
import styles from "./Picture.module.css";
import { ProductPicture } from "./ProductPicture";

type SitePicture = NonNullable<Config["site"]["landing"]["picture"]>;

const drawings: Record<NonNullable<SitePicture["drawing"]>, () => ReactElement> = {
  balance: ProductPicture,
  resume: ResumeDrawing,
  share: ShareDrawing,
  connect: ConnectDrawing,
  repeat: RepeatDrawing,
  fluid: FluidDrawing,
  spikes: SpikesDrawing,
};

interface PictureProps {
  picture: SitePicture | undefined;
  /** The position; its container sets the size. */
  place: "hero" | "feature" | "field" | "institution";
}

/** A picture named in the site file: one of the page's drawings, or one of the institution's files. */
export function Picture({ picture, place }: PictureProps) {
  if (!picture) return null;
  if (picture.src) {
    return (
      <div className={styles[place]}>
        <img src={picture.src} alt={picture.alt ?? ""} />
      </div>
    );
  }
  const Drawing = picture.drawing && drawings[picture.drawing];
  return <div className={styles[place]}>{Drawing && <Drawing />}</div>;
}
