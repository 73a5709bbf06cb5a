// Runs each fuzz target of the Go code for a while: FUZZTIME=5m node scripts/fuzz.mjs. What a target finds lies in the
// folder testdata/fuzz of its package; kept there, every later `make check` tries it again.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs `go` in the repository; returns its exit code and its output. */
function go(...parameters) {
  const child = spawn("go", parameters, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (printed += text));
  return new Promise((resolve, reject) => child.on("error", reject).on("close", (code) => resolve({ code, printed })));
}

/** The targets in the order in which Go lists them: the names of a package come before its line. */
async function targets() {
  const { code, printed } = await go("test", "-list", "^Fuzz", "./...");
  if (code !== 0) {
    console.log(`The fuzz targets cannot be listed:\n${printed}`);
    return []; // no test is a failure for those who count
  }
  const found = [];
  let names = [];
  for (const line of printed.split("\n")) {
    if (line.startsWith("Fuzz")) names.push(line);
    const [, place] = /^ok\s+(\S+)/.exec(line) ?? [];
    if (!place) continue;
    for (const name of names) found.push({ name, place });
    names = [];
  }
  return found;
}

/** Each target for so long, one after another; each counts as one test. */
export async function fuzz(time) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, place } of await targets()) {
    // Without a bound, making an input small that is merely new may take all the time.
    const how = [`-fuzz=^${name}$`, `-fuzztime=${time}`, "-fuzzminimizetime=20x", "-run=^$"];
    const { code, printed } = await go("test", ...how, place);
    const tries = [...printed.matchAll(/execs: (\d+)/g)].at(-1)?.[1] ?? "0";
    // Before 1.27, Go sometimes reports the end of its time as a failure (golang/go#75804); a real one names its input.
    const ended = /^ +context deadline exceeded$/m.test(printed) && !printed.includes("Failing input written to");
    const passed = code === 0 || ended;
    console.log(`${passed ? "ok  " : "FAIL"}\t${place}\t${name}\t${tries} tries`);
    counts[passed ? "passed" : "failed"]++;
    if (!passed) console.log(printed);
  }
  return counts;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { passed, failed } = await fuzz(process.env.FUZZTIME || "2m");
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}
