import { UploadStyles } from "@/features/uploads/UploadStyles";
import sheet from "./publishing.css?url";

/** The styles of publishing, and those of uploads, whose parts it uses, as files of their own: few visits need them. */
export function PublishingStyles() {
  return (
    <>
      <UploadStyles />
      <link rel="stylesheet" href={sheet} precedence="publishing" />
    </>
  );
}
