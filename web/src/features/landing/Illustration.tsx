import styles from "./Illustration.module.css";
import { illustrationMessages as messages } from "./messages";

const racks = [350, 412, 474];
const units = [78, 100, 122, 144, 166, 188];

/** A laptop and a machine room, and what flows between them: work one way, data and results the other. */
export function Illustration() {
  return (
    <svg className={styles.picture} viewBox="0 0 560 300" role="img" aria-label={messages.whole}>
      <g className={styles.line}>
        <rect x="46" y="92" width="176" height="116" rx="8" className={styles.paper} />
        <path d="M22 208h224l-10 18a8 8 0 0 1-7 4H39a8 8 0 0 1-7-4z" className={styles.sunk} />
        <path d="M62 112h40M62 126h60M62 140h28" className={styles.faint} />
        <path d="M62 192h144M62 192v-36" className={styles.faint} />
        <path d="M64 186c14-2 18-20 30-20s14 14 26 10 16-40 32-44 20 30 52 26" className={styles.curve} />
      </g>
      <g className={styles.line}>
        {racks.map((x) => (
          <g key={x}>
            <rect x={x} y="62" width="54" height="168" rx="6" className={styles.paper} />
            {units.map((y) => (
              <path key={y} d={`M${x + 10} ${y}h34v12h-34z`} className={styles.sunk} />
            ))}
          </g>
        ))}
        <path d="M338 230h202" />
      </g>
      <g>
        {racks.map((x, rack) =>
          units.map((y, unit) => (
            <circle
              key={`${x} ${y}`}
              cx={x + 16}
              cy={y + 6}
              r="2"
              className={(rack + unit) % 3 === 0 ? styles.busy : styles.idle}
            />
          )),
        )}
      </g>
      <path d="M232 108c30-32 76-32 106-8" className={styles.work} />
      <path d="m330 90 9 11-14 3" className={styles.work} />
      <path d="M340 190c-30 28-66 28-92 8" className={styles.data} />
      <path d="m258 210-12-12 14-2" className={styles.data} />
      <g>
        <circle cx="266" cy="86" r="5" className={styles.red} />
        <circle cx="288" cy="83" r="5" className={styles.blue} />
        <circle cx="282" cy="212" r="5" className={styles.green} />
        <circle cx="304" cy="208" r="5" className={styles.purple} />
      </g>
      <g className={styles.text}>
        <text x="134" y="262">
          {messages.local}
        </text>
        <text x="439" y="262">
          {messages.remote}
        </text>
      </g>
      <g className={styles.note}>
        <text x="134" y="281">
          {messages.localUse}
        </text>
        <text x="439" y="281">
          {messages.remoteUse}
        </text>
        <text x="286" y="66">
          {messages.there}
        </text>
        <text x="292" y="240">
          {messages.back}
        </text>
      </g>
    </svg>
  );
}
