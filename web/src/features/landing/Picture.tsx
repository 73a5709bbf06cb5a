import { lazy, Suspense } from "react";
import type { Config } from "@/api/types";
import styles from "./Picture.module.css";
import { ProductPicture } from "./ProductPicture";

type SitePicture = NonNullable<Config["site"]["landing"]["picture"]>;

// Below the first window, in places of a fixed size.
const Drawing = lazy(async () => ({ default: (await import("./Drawing")).Drawing }));

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
  const { drawing } = picture;
  return (
    <div className={styles[place]}>
      {drawing === "balance" ? (
        <ProductPicture />
      ) : (
        drawing && (
          <Suspense>
            <Drawing of={drawing} />
          </Suspense>
        )
      )}
    </div>
  );
}
