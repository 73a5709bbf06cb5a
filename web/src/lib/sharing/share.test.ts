import { expect, test } from "vitest";
import { binderAddress, binderOfGit, cloneCommand, colabAddress, gitHubPlace, isAtCodeHost, shareText } from "./share";

const address = "https://cairn.example.org/run/0b5c?file=a%20b.ipynb&ref=main";
const badge = "https://cairn.example.org/badge/0b5c.svg";
const text = 'run on R&D [<"Hill">]';

test("the badge with its link, in each format", () => {
  const shared = { address, badge, text };
  expect(shareText(shared, "Markdown")).toBe(`[![run on R&D \\[\\<"Hill"\\>\\]](${badge})](${address})`);
  expect(shareText(shared, "HTML")).toBe(
    `<a href="https://cairn.example.org/run/0b5c?file=a%20b.ipynb&#38;ref=main" rel="nofollow"><img src="${badge}" alt="run on R&#38;D [&#60;&#34;Hill&#34;&#62;]"></a>`,
  );
  expect(shareText(shared, "reStructuredText")).toBe(
    `.. image:: ${badge}\n   :target: ${address}\n   :alt: run on R&D [<"Hill">]`,
  );
});

test("without a badge the link is a text", () => {
  const shared = { address: "https://cairn.example.org/run/0b5c?file=a_", badge: undefined, text: "Run `a` <b>" };
  expect(shareText(shared, "Markdown")).toBe("[Run \\`a\\` \\<b\\>](https://cairn.example.org/run/0b5c?file=a_)");
  expect(shareText(shared, "HTML")).toContain(">Run `a` &#60;b&#62;</a>");
  expect(shareText(shared, "reStructuredText")).toBe(
    "`Run \\`a\\` \\<b\\> <https://cairn.example.org/run/0b5c?file=a%5F>`__",
  );
});

test.each([
  ["https://github.com/lab/spikes.git", { owner: "lab", name: "spikes" }],
  ["https://github.com/lab/spikes/", { owner: "lab", name: "spikes" }],
  [
    "https://github.com/lab/spikes/blob/main/notebooks/a%20%231.ipynb",
    { owner: "lab", name: "spikes", ref: "main", file: "notebooks/a #1.ipynb" },
  ],
  [
    "https://raw.githubusercontent.com/lab/spikes/v1/a.ipynb",
    { owner: "lab", name: "spikes", ref: "v1", file: "a.ipynb" },
  ],
  [
    "https://raw.githubusercontent.com/lab/spikes/refs/heads/main/a/%E5%9B%B3.ipynb",
    { owner: "lab", name: "spikes", ref: "main", file: "a/図.ipynb" },
  ],
])("%s is at GitHub", (given, place) => {
  expect(gitHubPlace(given)).toEqual(place);
});

test.each([
  "https://nbviewer.org/github/lab/spikes/blob/main/a%20b.ipynb",
  "http://nbviewer.jupyter.org/github/lab/spikes/blob/main/a%20b.ipynb",
  "https://www.nbviewer.org/github/lab/spikes/blob/main/a%20b.ipynb?flush_cache=true",
])("%j is a page of nbviewer", (given) => {
  expect(gitHubPlace(given)).toEqual({ owner: "lab", name: "spikes", ref: "main", file: "a b.ipynb" });
});

test.each([
  "https://nbviewer.org.evil.example/github/lab/spikes/blob/main/a.ipynb",
  "https://github.com/lab",
  "https://gitlab.com/lab/spikes",
  "https://github.com.evil.example/lab/spikes",
  "http://github.com/lab/spikes",
  "git@github.com:lab/spikes.git",
  "bundled:a.ipynb",
  "",
])("%j is not", (given) => {
  expect(gitHubPlace(given)).toBeUndefined();
});

test("Binder and Colab get awkward names as their own rules want them", () => {
  const place = { owner: "lab", name: "spikes", ref: "feature/a#1", file: "deep/100% é?.ipynb" };
  const path = "deep/100%25%20%C3%A9%3F.ipynb";
  expect(binderAddress(place)).toBe(`https://mybinder.org/v2/gh/lab/spikes/feature/a%231?labpath=${path}`);
  expect(colabAddress(place)).toBe(`https://colab.research.google.com/github/lab/spikes/blob/feature/a%231/${path}`);
});

test("what is not known is left out", () => {
  const place = { owner: "lab", name: "spikes" };
  expect(binderAddress(place)).toBe("https://mybinder.org/v2/gh/lab/spikes/HEAD");
  for (const more of [{}, { file: "a.ipynb" }, { ref: "main", file: "README.md" }])
    expect(colabAddress({ ...place, ...more })).toBe("https://colab.research.google.com/github/lab/spikes");
});

test("the clone command takes branches and commits, and no shell reads anything else in it", () => {
  expect(cloneCommand("https://github.com/lab/spikes")).toBe("git clone https://github.com/lab/spikes");
  expect(cloneCommand("https://github.com/lab/spikes.git", "a;rm -r")).toBe(
    "git clone --branch 'a;rm -r' https://github.com/lab/spikes.git",
  );
  expect(cloneCommand("https://github.com/lab/spikes.git", "5ddd9128e128")).toBe(
    "git clone https://github.com/lab/spikes.git && git -C spikes checkout 5ddd9128e128",
  );
});

test("Binder opens repositories of every code host", () => {
  const address = "https%3A%2F%2Fcodeberg.org%2Flab%2Fspikes";
  expect(binderOfGit("https://codeberg.org/lab/spikes")).toBe(`https://mybinder.org/v2/git/${address}/HEAD`);
  expect(binderOfGit("https://codeberg.org/lab/spikes", "v1", "a b.ipynb")).toBe(
    `https://mybinder.org/v2/git/${address}/v1?labpath=a%20b.ipynb`,
  );
  for (const other of ["http://code.example.org/a/b", "https://localhost/a/b", "https://a.localhost/b/c", "nothing"])
    expect(binderOfGit(other)).toBeUndefined();
});

test.each([
  ["https://github.com/lab/spikes/blob/main/a.ipynb", true],
  ["https://gitlab.example/group/lab/spikes/-/blob/main/d/a.ipynb", true],
  ["https://codeberg.org/lab/spikes/src/branch/main/a.ipynb", true],
  ["https://bitbucket.org/lab/spikes/src/main/a.ipynb", true],
  ["https://code.example.org/lab/spikes/src/main/a.ipynb", false],
  ["https://example.org/a.ipynb", false],
  ["bundled:start.ipynb", false],
])("%s is at a code host: %s", (address, is) => expect(isAtCodeHost(address)).toBe(is));
