import catalog from "./pictures/catalog.webp";
import cite from "./pictures/cite.webp";
import find from "./pictures/find.webp";
import run from "./pictures/run.webp";

/** Parts of the product's own pages, taken by `make screens`. */
export const productPictures = { catalog, cite, find, run };

/** In pixels. Smaller pictures have the same shape. */
export const pictureSize = { width: 960, height: 600 } as const;
