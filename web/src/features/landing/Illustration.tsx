import { classes } from "@/lib/classes";
import { illustrationMessages as messages } from "./Illustration.messages";
import styles from "./Illustration.module.css";

/** The front of the machine room: an outline, units, and a light on each unit. */
const racks = [350, 412, 474];
const units = [74, 96, 118, 140, 162, 184, 206];
const boxes = racks.map((x) => `M${x} 60h54v170h-54z`).join("");
const fronts = racks.flatMap((x) => units.map((y) => `M${x + 8} ${y}h38v12h-38z`)).join("");
const light = (busy: boolean) =>
  racks
    .flatMap((x, rack) => units.map((y, unit) => ((rack + 2 * unit) % 3 === 0) === busy && `M${x + 15} ${y + 6}h0`))
    .filter(Boolean)
    .join("");

/**
 * A laptop and a machine room, with work flowing one way and data and results the other. The animation stops after some
 * seconds.
 */
export function Illustration() {
  return (
    <svg className={styles.picture} viewBox="0 34 560 260" role="img" aria-label={messages.whole}>
      <path d="M12 230.5h536" className={styles.floor} />
      <rect x="46" y="82" width="180" height="124" rx="8" className={styles.case} />
      <rect x="55" y="91" width="162" height="106" rx="3" className={styles.screen} />
      <path d="M22 206h228l-9 19a9 9 0 0 1-8 5H39a9 9 0 0 1-8-5z" className={styles.case} />
      <path d="M114 206h44l-4 7h-36z" className={styles.screen} />
      <path d="M66 106h34M66 117h56M66 128h26" className={styles.words} />
      <path d="M66 188h140M66 188v-46" className={styles.axis} />
      <path d="M70 182c14-2 18-20 30-20s14 14 26 10 16-42 34-46 20 32 44 28" className={styles.curve} />
      <path d={boxes} className={styles.case} />
      <path d={fronts} className={styles.unit} />
      <path d={light(false)} className={styles.idle} />
      <path d={light(true)} className={styles.busy} />
      <path d="M238 106c28-34 72-36 100-12M338 94l-3-11M338 94l-11 1" className={styles.way} />
      <path d="M338 172c-22 30-56 34-82 14M256 186l1 11M256 186l11 1" className={styles.way} />
      <rect width="11" height="8" rx="4" x="-5.5" y="-4" className={classes(styles.packet, styles.red)} />
      <rect width="11" height="8" rx="4" x="-5.5" y="-4" className={classes(styles.packet, styles.blue)} />
      <rect width="11" height="8" rx="4" x="-5.5" y="-4" className={classes(styles.packet, styles.green)} />
      <rect width="11" height="8" rx="4" x="-5.5" y="-4" className={classes(styles.packet, styles.purple)} />
      <g className={styles.text}>
        <text x="136" y="262">
          {messages.local}
        </text>
        <text x="439" y="262">
          {messages.remote}
        </text>
      </g>
      <g className={styles.note}>
        <text x="136" y="282">
          {messages.localUse}
        </text>
        <text x="439" y="282">
          {messages.remoteUse}
        </text>
        <text x="288" y="62">
          {messages.there}
        </text>
        <text x="296" y="226">
          {messages.back}
        </text>
      </g>
    </svg>
  );
}
