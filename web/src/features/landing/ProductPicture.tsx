import { productPictureMessages as messages } from "./ProductPicture.messages";
import { pictureSize, productPictures } from "./productPictures";

/** The catalog as people see it. */
export function ProductPicture() {
  return <img src={productPictures.catalog} alt={messages.text} fetchPriority="high" {...pictureSize} />;
}
