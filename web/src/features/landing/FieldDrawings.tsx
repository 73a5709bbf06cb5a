import styles from "./FieldDrawings.module.css";
import { atoms, marked, potential, raster } from "./fieldData";

const field = { className: styles.field, viewBox: "0 0 440 176", preserveAspectRatio: "xMidYMid slice" } as const;

/** Molecular dynamics: a fluid, and how far one of its atoms feels the others. */
export function FluidDrawing() {
  return (
    <svg {...field} aria-hidden="true">
      <path d={atoms} className={styles.rim} />
      <path d={atoms} className={styles.atom} />
      <circle cx={marked.x} cy={marked.y} r="54" className={styles.reach} />
      <circle cx={marked.x} cy={marked.y} r="10" className={styles.marked} />
    </svg>
  );
}

/** Neuroscience: when neurons fire, and the potential of one of them. */
export function SpikesDrawing() {
  return (
    <svg {...field} aria-hidden="true">
      <path d={raster} className={styles.spike} />
      <path d="M10 98.500h420" className={styles.axis} />
      <path d={potential} className={styles.potential} />
    </svg>
  );
}
