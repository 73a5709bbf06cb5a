import catalog from "./pictures/catalog.webp";
import find from "./pictures/find.webp";
import keep from "./pictures/keep.webp";
import prove from "./pictures/prove.webp";
import run from "./pictures/run.webp";

/** Pages of the demo, taken by `make screens`. */
export const productPictures = { catalog, find, run, prove, keep };

/** In pixels. */
export const pictureSize = { width: 960, height: 600 } as const;
