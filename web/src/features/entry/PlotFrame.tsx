import type { ReactNode } from "react";
import { field } from "@/lib/plot";
import styles from "./PlotFrame.module.css";

/** A label at an axis, at a position from 0 to `field` from the left or the top. */
interface Mark {
  place: number;
  text: string;
}

export interface Axis {
  name: string;
  marks: Mark[];
}

interface PlotFrameProps {
  /** A description of the plot for people who can't see it. */
  label: string;
  across: Axis;
  up: Mark[];
  /** What is drawn upwards. */
  upName: string;
  /** Tells where the pointer is: 0 at the left, 1 at the right, undefined once it has left. */
  onPoint?: (place: number | undefined) => void;
  /** Shapes in a square field, which is stretched to the available width. */
  children: ReactNode;
}

/** A plot with its axes. The labels are outside the SVG, which would stretch them. */
export function PlotFrame({ label, across, up, upName, onPoint, children }: PlotFrameProps) {
  const gutter = Math.max(...up.map(({ text }) => text.length), 1);
  const percent = (place: number) => `${(place / field) * 100}%`;
  return (
    <div className={styles.frame} style={{ gridTemplateColumns: `${gutter + 1}ch minmax(0, 1fr)` }}>
      <bdi className={styles.upName} aria-hidden="true">
        {upName}
      </bdi>
      <div className={styles.up} aria-hidden="true">
        {up.map(({ place, text }) => (
          <span key={place} style={{ top: percent(place) }}>
            {text}
          </span>
        ))}
      </div>
      <svg
        className={styles.field}
        viewBox={`0 0 ${field} ${field}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        onPointerMove={({ clientX, currentTarget }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          onPoint?.((clientX - left) / width);
        }}
        onPointerLeave={() => onPoint?.(undefined)}
      >
        <path className={styles.rule} d={up.map(({ place }) => `M0 ${place}H${field}`).join("")} />
        {children}
      </svg>
      <div className={styles.across} aria-hidden="true">
        {across.marks.map(({ place, text }) => (
          <span key={place} style={{ left: percent(place) }} className={edge(place)}>
            {text}
          </span>
        ))}
      </div>
      <bdi className={styles.name} aria-hidden="true">
        {across.name}
      </bdi>
    </div>
  );
}

/** Aligns labels near an edge with it, so that they aren't cut off. */
function edge(place: number): string | undefined {
  if (place < field * 0.06) return styles.first;
  return place > field * 0.94 ? styles.last : undefined;
}
