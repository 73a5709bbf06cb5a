import sheet from "./uploads.css?url";

/** The styles of uploads and versions, as a file of their own: few visits need them. */
export function UploadStyles() {
  return <link rel="stylesheet" href={sheet} precedence="uploads" />;
}
