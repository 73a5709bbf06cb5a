import { Toaster } from "@/ui/Toaster";
import { ConnectionNotice } from "./ConnectionNotice";
import { useKeptFocus } from "./useKeptFocus";

/** The parts of the frame that show nothing until something happens: their code is loaded after the first paint. */
export function AfterPaint() {
  useKeptFocus();
  return (
    <>
      <ConnectionNotice />
      <Toaster />
    </>
  );
}
