import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useMemo, useRef } from "react";
import { useWindowTitle } from "@/ui/Page";
import { Link, useNavigate, useParams } from "@/ui/router";
import { OneWorkshop } from "./OneWorkshop";
import { workshopPath } from "./paths";
import { qrPath } from "./qr";
import { workshopQuery } from "./queries";
import { screenMessages as messages } from "./ScreenPage.messages";
import type { Workshop } from "./types";
import { WorkshopStyles } from "./WorkshopStyles";
import { momentIn } from "./zoned";

/** /workshops/:id/screen: the code of a workshop for the projector, to be read from the last row. */
export function ScreenPage() {
  const { id = "" } = useParams();
  const asked = useQuery(workshopQuery(id));
  return (
    <OneWorkshop id={id} asked={asked}>
      {(workshop) => <Screen workshop={workshop} />}
    </OneWorkshop>
  );
}

/** Over all of the window, as a dialog: what is below can't be reached, and Escape leads back. */
function Screen({ workshop }: { workshop: Workshop }) {
  const { id, name, state, joinUrl, joinAddress, code, seats, opensAt, timezone } = workshop;
  const navigate = useNavigate();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useWindowTitle(messages.title(name));
  const { side, path } = useMemo(() => qrPath(joinUrl), [joinUrl]);
  const words = code.split(" ");
  const ahead = state === "PLANNED" || state === "WARMING";

  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    heading.current?.focus();
    return () => element?.close();
  }, [heading]);

  return (
    <>
      <WorkshopStyles />
      <dialog
        ref={dialog}
        className="ws-screen"
        aria-label={messages.title(name)}
        onCancel={(event) => {
          event.preventDefault();
          navigate(workshopPath(id));
        }}
      >
        <header className="ws-screen-head">
          <h1 ref={heading} tabIndex={-1}>
            <bdi>{name}</bdi>
          </h1>
          <p role="status">
            {state === "ENDED"
              ? messages.ended
              : ahead
                ? messages.opens(momentIn(opensAt, timezone))
                : messages.in(seats.taken, seats.total)}
          </p>
          <Link to={workshopPath(id)}>{messages.back}</Link>
        </header>
        <div className="ws-screen-body">
          <div className="ws-screen-words">
            <p className="ws-screen-line">{messages.open}</p>
            {/* It fills the width, whatever its length: texts of a style sheet can't. */}
            <p className="ws-screen-address" style={{ fontSize: fontFor(shortened(joinAddress).length) }}>
              {shortened(joinAddress)}
            </p>
            <p className="ws-screen-line">{messages.word}</p>
            <ul
              className="ws-screen-code"
              aria-label={code}
              style={{ fontSize: "clamp(2.25rem, min(9vw, 13vh), 9rem)" }}
            >
              {words.map((word, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a word may come twice, and they have no state.
                <li key={at}>{word}</li>
              ))}
            </ul>
          </div>
          <svg className="ws-screen-qr" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={messages.qr}>
            <path className="ws-qr-light" d={`M0 0h${side}v${side}H0z`} />
            <path className="ws-qr-dark" d={path} shapeRendering="crispEdges" />
          </svg>
        </div>
      </dialog>
    </>
  );
}

/** An address as it's typed. */
const shortened = (address: string): string => address.replace(/^https?:\/\//, "");

/** A size at which a line of so many letters fits beside the QR code, and is read from afar. */
const fontFor = (letters: number): string =>
  `clamp(1.05rem, min(${(88 / Math.max(letters, 12)).toFixed(2)}vw, 8vh), 4.5rem)`;
