// Runs suites one after another, also after one failed, and closes with the time of each, its ten slowest tests, and the
// counts of what really ran: "N passed, N failed". With CI=true a skipped test is a failure: there, everything has to be
// present.
//
//   test.mjs            what `make test` runs
//   test.mjs --all      what `make test-all` runs: everything
//   test.mjs --all go   one part of it; the parts are the keys of `parts` below
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { fuzz } from "./fuzz.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

// A suite is a function that runs tests and returns { counts: { passed, failed, skipped }, tests: [{ name, seconds,
// failure, skipped }] }; the failure of a test is what it printed or said, and so is why it was skipped.
// Go tests named TestThorough... take too long for `make test`.
const goSuite = () => goTests("-timeout=15m", "-skip=^TestThorough", "./...");

const quick = {
  Go: goSuite,
  page: pageTests,
  browser: () => browserTests("playwright.config.ts"),
};

const parts = {
  go: goSuite,
  thorough: () => goTests("-timeout=30m", "-run=^TestThorough", "-skip=^TestThorough(Cluster|Hosts|Kills|Packages|Ways)", "./..."),
  chaos: () => goTests("-timeout=40m", "-run=^TestThoroughKills", "./internal/app"),
  packages: packageTests,
  ways: waysTests,
  chart: chartTests,
  cluster: clusterTests,
  hosts: hostTests,
  fuzz: fuzzTests,
  page: pageTests,
  browser: () => browserTests("all.config.ts", "--project=desktop"),
  phone: () => browserTests("all.config.ts", "--project=phone"),
  states: () => browserTests("sweep.config.ts"),
};

/** Starts a command in a folder of the repository; returns the process and a promise of its exit code. */
function start(folder, command, parameters, stdout) {
  const child = spawn(command, parameters, { cwd: root + folder, stdio: ["ignore", stdout, "inherit"] });
  const code = new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  return { child, code };
}

/** Reads the events of `go test -json`: shows the line of each package, and all that a failed test printed. */
function goTests(...parameters) {
  return goTestsIn("", ...parameters);
}

async function goTestsIn(folder, ...parameters) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const tests = [];
  const printed = new Map(); // what a running test printed, by package and test
  const failedIn = new Set(); // packages in which a test failed
  // The linter has vetted the code already; binaries link in half the time without symbols.
  const all = ["test", "-json", "-count=1", "-vet=off", "-ldflags=-s", ...parameters];
  const { child, code } = start(folder, "go", all, "pipe");
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith("{")) {
      console.log(line);
      continue;
    }
    const { Action, Package, Test, Output, Elapsed } = JSON.parse(line);
    const key = `${Package} ${Test ?? ""}`;
    if (Action === "build-output") process.stdout.write(Output);
    if (Action === "output") printed.set(key, (printed.get(key) ?? "") + Output);
    if (Action !== "pass" && Action !== "fail" && Action !== "skip") continue;
    const text = printed.get(key) ?? "";
    printed.delete(key);
    if (Test) {
      counts[{ pass: "passed", fail: "failed", skip: "skipped" }[Action]]++;
      const failure = Action === "fail" ? text : undefined;
      const skipped = Action === "skip" ? text : undefined;
      if (failure || skipped || !Test.includes("/")) tests.push({ name: key, seconds: Elapsed, failure, skipped });
      if (Action === "fail") failedIn.add(Package);
      if (Action !== "pass") process.stdout.write(text);
      continue;
    }
    const empty = /\[no test(s to run| files)\]/.test(text);
    if (Action === "fail" || !empty) process.stdout.write(text.replace(/^PASS\n/gm, ""));
    // A package that does not build, panics outside a test or runs out of time has no failed test.
    if (Action === "fail" && !failedIn.has(Package)) counts.failed++;
  }
  return finished(await code, counts, tests);
}

/** What operators install, with Debian's proxies, and a release built twice. */
async function packageTests() {
  if ((await start("", "scripts/setup.sh", ["packages"], "inherit").code) !== 0) return failed;
  return goTests("-timeout=40m", "-run=^TestThoroughPackages", "./deploy");
}

/** Sessions in languages that the other parts don't install, and in VS Code. */
async function waysTests() {
  for (const [script, parameter] of [["setup.sh", "ways"], ["code-server.sh", "bin/code-server"]]) {
    if ((await start("", `scripts/${script}`, [parameter], "inherit").code) !== 0) return failed;
  }
  return together(
    await goTests("-timeout=15m", "-run=^TestThoroughWays", "./internal/sessions/engine/localjupyter"),
    await browserTests("ways.config.ts"),
  );
}

/** The results of several suites as those of one. */
function together(...suites) {
  const sum = (name) => suites.reduce((all, { counts }) => all + counts[name], 0);
  return { counts: { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") }, tests: suites.flatMap(({ tests }) => tests) };
}

/** The chart, with Helm, which takes a few minutes to build once. */
async function chartTests() {
  if ((await start("", "make", ["bin/tools/helm"], "inherit").code) !== 0) return failed;
  return goTestsIn("tools/helm", "-timeout=15m", "./...");
}

/** What runs on Kubernetes, with the API server, which takes about ten minutes to build once. */
async function clusterTests() {
  const programs = ["etcd", "helm", "kube-apiserver", "kube-scheduler"].map((name) => `bin/tools/${name}`);
  if ((await start("", "make", programs, "inherit").code) !== 0) return failed;
  return goTests("-timeout=30m", "-run=^TestThoroughCluster", "./deploy", "./internal/sessions/engine/jupyterhub");
}

/** Code hosts with a real Gitea, which takes about ten minutes to build once. */
async function hostTests() {
  if ((await start("", "make", ["bin/tools/gitea"], "inherit").code) !== 0) return failed;
  return together(
    await goTests("-timeout=30m", "-run=^TestThoroughHosts", "./internal/entries/codehost"),
    await browserTests("hosts.config.ts"),
  );
}

const failed = { counts: { passed: 0, failed: 1, skipped: 0 }, tests: [] };

/** Runs a suite that writes a report, and reads the report. */
async function reported(folder, command, parameters, report, read) {
  rmSync(root + report, { force: true });
  const code = await start(folder, command, parameters, "inherit").code;
  const { counts, tests } = existsSync(root + report)
    ? read(JSON.parse(readFileSync(root + report, "utf8")))
    : { counts: { passed: 0, failed: 0, skipped: 0 }, tests: [] };
  return finished(code, counts, tests);
}

/** A suite that ended badly without a failed test, or that ran no test, counts as one failure. */
function finished(code, counts, tests) {
  if ((code !== 0 && counts.failed === 0) || counts.passed + counts.failed === 0) counts.failed++;
  return { counts, tests };
}

async function fuzzTests() {
  return finished(0, await fuzz("10s"), []);
}

function pageTests() {
  const report = "var/page-tests.json";
  return reported(
    "web",
    "node_modules/.bin/vitest",
    ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${root}${report}`],
    report,
    (result) => ({
      counts: {
        passed: result.numPassedTests,
        failed: result.numFailedTests,
        skipped: result.numPendingTests + result.numTodoTests,
      },
      tests: result.testResults.flatMap(({ assertionResults }) =>
        assertionResults.map(({ fullName, duration, status, failureMessages }) => ({
          name: fullName,
          seconds: (duration ?? 0) / 1000,
          failure: status === "failed" ? failureMessages.join("\n") : undefined,
          skipped: status === "failed" || status === "passed" ? undefined : "",
        })),
      ),
    }),
  );
}

/** More failures than this have a common cause that one trace shows as well. */
const mostTraced = 5;

async function browserTests(config, ...parameters) {
  const playwright = "node_modules/.bin/playwright";
  const run = ["test", `--config=${config}`, ...parameters];
  const result = await reported("e2e", playwright, run, "e2e/results/report.json", ({ stats, suites }) => ({
    counts: { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped },
    tests: browserTestsOf(suites),
  }));
  if (result.counts.failed > 0 && result.counts.failed <= mostTraced) {
    console.log("\nThe failed tests run once more for their traces, in e2e/results/artifacts; they stay failed.");
    await start("e2e", playwright, [...run, "--last-failed", "--trace=on", "--reporter=line"], "inherit").code;
  }
  return result;
}

function browserTestsOf(suites) {
  return suites.flatMap(({ specs = [], suites: inner = [] }) => [
    ...specs.flatMap(({ file, title, tests }) =>
      tests.map(({ projectName, results, status }) => ({
        name: `[${projectName}] ${file}: ${title}`,
        seconds: results.reduce((sum, { duration }) => sum + duration, 0) / 1000,
        failure: status === "unexpected" || status === "flaky" ? messages(results) : undefined,
        skipped: status === "skipped" ? "" : undefined,
      })),
    ),
    ...browserTestsOf(inner),
  ]);
}

function messages(results) {
  return stripVTControlCharacters(results.flatMap(({ errors }) => errors.map(({ message }) => message)).join("\n"));
}

function chosen([all, ...names]) {
  if (all === undefined) return Object.entries(quick);
  const unknown = names.filter((name) => !(name in parts));
  if (all !== "--all" || unknown.length > 0) {
    console.error(`usage: test.mjs [--all [PART...]]; the parts are ${Object.keys(parts).join(", ")}`);
    process.exit(2);
  }
  return Object.entries(parts).filter(([name]) => names.length === 0 || names.includes(name));
}

const total = { passed: 0, failed: 0, skipped: 0 };
const times = [];
for (const [name, suite] of chosen(process.argv.slice(2))) {
  console.log(`\n== ${name} tests`);
  const began = Date.now();
  const { counts, tests } = await suite();
  for (const key of Object.keys(total)) total[key] += counts[key];
  times.push({ name, counts, tests, seconds: (Date.now() - began) / 1000 });
}

for (const { name, tests } of times) {
  if (tests.length === 0) continue;
  console.log(`\nThe slowest ${name} tests`);
  const slowest = tests.toSorted((one, other) => other.seconds - one.seconds).slice(0, 10);
  for (const test of slowest) console.log(`${test.seconds.toFixed(1).padStart(8)} s  ${test.name}`);
}
console.log("\nThe time of every suite");
for (const { name, counts, seconds } of times) {
  const { passed, failed, skipped } = counts;
  console.log(`${seconds.toFixed(0).padStart(6)} s  ${name}: ${passed} ok, ${failed} not ok, ${skipped} left out`);
}

// Last, because often only the end of a log is kept.
const linesOfTest = 12;
for (const { name, failure, skipped } of times.flatMap(({ tests }) => tests)) {
  const text = failure ?? skipped;
  if (text === undefined) continue;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  console.log(`\n${failure === undefined ? "Skipped" : "Failed"}: ${name}\n${lines.slice(0, linesOfTest).join("\n")}`);
}

const skippedCounts = process.env.CI === "true" && total.skipped > 0;
if (skippedCounts) console.log("\nSkipped tests count as failures here: something that they need is missing.");
console.log(
  `\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`,
);
process.exit(total.failed > 0 || skippedCounts ? 1 : 0);
