// Runs all suites one after another, also after one failed, and closes with the counts of what really ran:
// "N passed, N failed". With CI=true a skipped test is a failure: there, everything has to be present.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { fuzz } from "./fuzz.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const total = { passed: 0, failed: 0, skipped: 0 };

function add({ passed, failed, skipped }) {
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
}

/** Starts a command in a folder of the repository; gives the process and a promise of its exit code. */
function start(folder, command, parameters, stdout) {
  const child = spawn(command, parameters, { cwd: root + folder, stdio: ["ignore", stdout, "inherit"] });
  const code = new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  return { child, code };
}

/** Reads the events of `go test -json`: shows the line of each package, and all that a failed test printed. */
async function goTests() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const printed = new Map(); // what a running test printed, by package and test
  const failedIn = new Set(); // packages in which a test failed
  const { child, code } = start("", "go", ["test", "-json", "-count=1", "-timeout=15m", "./..."], "pipe");
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith("{")) {
      console.log(line);
      continue;
    }
    const { Action, Package, Test, Output } = JSON.parse(line);
    const key = `${Package} ${Test ?? ""}`;
    if (Action === "build-output") process.stdout.write(Output);
    if (Action === "output") printed.set(key, (printed.get(key) ?? "") + Output);
    if (Action !== "pass" && Action !== "fail" && Action !== "skip") continue;
    const text = printed.get(key) ?? "";
    printed.delete(key);
    if (Test) {
      counts[{ pass: "passed", fail: "failed", skip: "skipped" }[Action]]++;
      if (Action === "fail") failedIn.add(Package);
      if (Action !== "pass") process.stdout.write(text);
      continue;
    }
    process.stdout.write(Action === "pass" ? text.replace(/^(PASS|testing: warning: no tests to run)\n/gm, "") : text);
    // A package that does not build, panics outside a test or runs out of time has no failed test of its own.
    if (Action === "fail" && !failedIn.has(Package)) counts.failed++;
  }
  return finished(await code, counts);
}

/** Runs a suite that writes a report, and takes the counts from it. */
async function reported(folder, command, parameters, report, read) {
  rmSync(root + report, { force: true });
  const code = await start(folder, command, parameters, "inherit").code;
  const counts = existsSync(root + report)
    ? read(JSON.parse(readFileSync(root + report, "utf8")))
    : { passed: 0, failed: 0, skipped: 0 };
  return finished(code, counts);
}

/** A suite that ended badly without a failed test, or that ran no test, counts as one failure. */
function finished(code, counts) {
  if ((code !== 0 && counts.failed === 0) || counts.passed + counts.failed === 0) counts.failed++;
  return counts;
}

function pageTests() {
  const report = "var/page-tests.json";
  return reported(
    "web",
    "node_modules/.bin/vitest",
    ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${root}${report}`],
    report,
    (result) => ({
      passed: result.numPassedTests,
      failed: result.numFailedTests,
      skipped: result.numPendingTests + result.numTodoTests,
    }),
  );
}

/** So many of five hundred tests with a browser may need the second try that Playwright gives them with CI=true. */
const mostSecondTries = 5;

function browserTests() {
  return reported("e2e", "node_modules/.bin/playwright", ["test"], "e2e/results/report.json", ({ stats, suites }) => {
    const again = secondTries(suites);
    for (const name of again) console.log(`passed at the second try only: ${name}`);
    const borne = again.length <= mostSecondTries;
    return {
      passed: stats.expected + (borne ? again.length : 0),
      failed: stats.unexpected + (borne ? 0 : again.length),
      skipped: stats.skipped,
    };
  });
}

/** The names of tests that failed first and passed then. */
function secondTries(suites) {
  return suites.flatMap(({ specs = [], suites: inner = [] }) => [
    ...specs.flatMap(({ file, title, tests }) =>
      tests.filter(({ status }) => status === "flaky").map(({ projectName }) => `[${projectName}] ${file}: ${title}`),
    ),
    ...secondTries(inner),
  ]);
}

for (const [name, suite] of [
  ["Go", goTests],
  ["fuzz", () => fuzz("10s").then((counts) => finished(0, counts))],
  ["page", pageTests],
  ["browser", browserTests],
]) {
  console.log(`\n== ${name} tests`);
  const began = Date.now();
  const counts = await suite();
  add(counts);
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(`== ${name}: ${counts.passed} ok, ${counts.failed} not ok, ${counts.skipped} left out, ${seconds} s`);
}

const skippedCounts = process.env.CI === "true" && total.skipped > 0;
if (skippedCounts) console.log("\nSkipped tests count as failures here: something that they need is missing.");
console.log(
  `\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`,
);
process.exit(total.failed > 0 || skippedCounts ? 1 : 0);
