import type { ReactNode } from "react";
import styles from "./FeatureDrawings.module.css";

function Sketch({ children }: { children: ReactNode }) {
  return (
    <svg className={styles.sketch} viewBox="0 0 96 72" aria-hidden="true">
      {children}
    </svg>
  );
}

/** A session that continues where it stopped. */
export function ResumeDrawing() {
  return (
    <Sketch>
      <rect x="6" y="8" width="84" height="56" rx="5" className={styles.sheet} />
      <path d="M6 20h84M13 14h.01M19 14h.01M25 14h.01" />
      <path d="M16 50h28" className={styles.mark} />
      <path d="M50 50h30" className={styles.dotted} />
      <path d="M42 28v13l11-6.500z" className={styles.filled} />
    </Sketch>
  );
}

/** One descriptor, and those who are named in it. */
export function ShareDrawing() {
  return (
    <Sketch>
      <path d="M10 10h26l9 9v43H10z" className={styles.sheet} />
      <path d="M36 10v9h9M17 30h20M17 38h20M17 46h12" />
      <path d="M45 36h17M62 36c8 0 6-20 14-20M62 36h14M62 36c8 0 6 20 14 20" className={styles.mark} />
      <path d="M82 16h.01M82 36h.01M82 56h.01" className={styles.people} />
    </Sketch>
  );
}

/** The catalog between the services it works with. */
export function ConnectDrawing() {
  return (
    <Sketch>
      <path d="M48 28V16M39 40 25 49M57 40l14 9" className={styles.mark} />
      <rect x="37" y="27" width="22" height="18" rx="4" className={styles.sheet} />
      <path d="M42 33h12M42 38.500h8" />
      <path d="M38 16h20M40.500 16v-4l7.500-5 7.500 5v4" className={styles.sheet} />
      <circle cx="18" cy="54" r="9" className={styles.sheet} />
      <path d="M13 54c3-6 7 6 10 0" />
      <path d="M70 47h16v14H70zM74 54h8M78 50v8" className={styles.sheet} />
    </Sketch>
  );
}

/** The same result on another day and another machine. */
export function RepeatDrawing() {
  return (
    <Sketch>
      <path d="M5 16h36v34H5zM55 16h36v34H55z" className={styles.sheet} />
      <path
        d="M10 42c5 0 6-18 11-18s5 12 9 12 4-6 7-6M60 42c5 0 6-18 11-18s5 12 9 12 4-6 7-6"
        className={styles.mark}
      />
      <path d="M45 30.500h6M45 35.500h6M5 58h36M55 58h36M5 55.500v5M41 55.500v5M55 55.500v5M91 55.500v5" />
    </Sketch>
  );
}
