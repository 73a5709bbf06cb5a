// Loaded while there is a network, because they are shown without one too.
import "@/ui/LaterIcon";
import "@/ui/Tooltip";
import { catalogPath } from "@/features/catalog/filters";
import { useSearchElsewhere } from "@/ui/list/useSearchElsewhere";
import { useNavigate } from "@/ui/router";
import { Toaster } from "@/ui/Toaster";
import { ConnectionNotice } from "./ConnectionNotice";
import { Footer } from "./Footer";

/**
 * The parts of the frame that are below the first window, or show nothing until something happens: their code is loaded
 * after the first paint.
 */
export function AfterPaint() {
  const navigate = useNavigate();
  useSearchElsewhere(() => navigate(catalogPath()));
  return (
    <>
      <Footer />
      <ConnectionNotice />
      <Toaster />
    </>
  );
}
