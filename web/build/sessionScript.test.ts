import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import cases from "@/lib/rules.cases.json";

interface State {
  code: string;
  run?: string;
  signIn?: number;
  session?: { restored?: { path: string; at: number }[]; workshop?: object };
}

interface Strip {
  stopsIn?: number;
  mayKeep: boolean;
  warning?: string;
  usage: { memoryBytes?: number; diskBytes?: number };
  limits: { memoryBytes?: number; diskBytes?: number };
}

interface Workshop {
  seat: { number: number; text: string; title: string };
  hand?: { label: string; isUp: boolean; text: string };
  message?: { id: string; text: string; hasMore: boolean };
  handout?: { id: string; text: string; links: object[]; hasMore: boolean };
  ask?: { id: string; text: string; means: string; agreed: string };
  end?: End;
  messages: object[];
  handouts: object[];
}

interface End {
  text: string;
  pressing: boolean;
  mark: number | "early";
}

interface Script {
  addressOf(jupyter: string, file: string, isLab?: boolean): string;
  handedOf(handout: { files: object[] }, guest?: string): string;
  endOf(workshop: { endsIn: number; ending: boolean }, guest?: string): End | undefined;
  stopTextOf(session: { saving?: object; workshop?: object }): string;
  workshopOf(
    session: { workshop?: object; jupyter?: string; guest?: string; share?: string },
    page?: { dismissed?: { said?: string; handed?: string }; answered?: string[]; isLab?: boolean },
  ): Workshop | undefined;
  savedOf(saving: { ago: number; stopped?: string }): string;
  sizeOf(bytes: number): string;
  stripOf(session: Strip): { time: string; pressing: string; meters: object[] };
  viewOf(state: State, run?: string, reads?: Map<string, string>): string | undefined;
  finishOf(job: object | undefined, file: string): { live: boolean; text: string };
  pathInside(pathname: string, id: string): string;
  versionsOf(url: string, pathname: string, id: string): string;
  reconnect(): void;
  companyOf(session: { guest?: string; present?: object[] }): string;
  keptOf(path: string): string;
  follow(page: {
    ask: () => Promise<State>;
    show: (view: string, state: State) => void;
    hidden: () => boolean;
    now: () => number;
  }): { hurry: () => void; pause: () => void };
}

// They aren't bundled, so the test imports them as modules too.
/** The exports of a module of the script. Vite doesn't see it, so Node imports it. */
const load = (name: string) =>
  import(/* @vite-ignore */ new URL(`../../internal/sessions/origin/pages/${name}`, import.meta.url).href);
const {
  viewOf,
  pathInside,
  versionsOf,
  reconnect,
  follow,
  savedOf,
  sizeOf,
  stripOf,
  finishOf,
  companyOf,
  keptOf,
  ...seats
} = { ...(await load("words.js")), ...(await load("session.js")) } as Script;
const { addressOf, handedOf, endOf, stopTextOf, workshopOf } = seats;

const running = (signIn?: number): State => ({ code: "running", run: "a", ...(signIn && { signIn }) });

describe("a notebook that is executed without its page", () => {
  const job = { file: "a/first.ipynb", state: "RUNNING", done: 11, total: 30, seconds: 2460, expected: 7200 };
  it.each([
    [undefined, false, ""],
    [job, true, "Running to the end: cell 12 of 30, 41 min, last time 2 h"],
    [
      { ...job, file: "b/other.ipynb", seconds: 5, expected: undefined },
      true,
      "Running other.ipynb to the end: cell 12 of 30",
    ],
    [{ ...job, state: "QUEUED", total: 0, seconds: 0, expected: undefined }, true, "Running to the end: starting"],
    [{ ...job, state: "DONE", done: 30, seconds: 3600 }, false, "Ran this notebook to the end, in 60 min."],
    [{ ...job, state: "CANCELED" }, false, "Stopped running this notebook to the end, before cell 12 of 30."],
    [
      { ...job, state: "FAILED", reason: "Cell 12 of 30 failed: ValueError: no." },
      false,
      "Cell 12 of 30 failed: ValueError: no.",
    ],
    [{ ...job, file: "b/other.ipynb", state: "FAILED", reason: "It ended." }, false, "other.ipynb: It ended."],
  ])("%j is live: %s, %j", (told, live, text) => {
    expect(finishOf(told, "a/first.ipynb")).toEqual({ live, text });
  });
});

describe("the view of a session's state", () => {
  it.each([
    [running(), ""],
    [running(600), "soon"],
    [running(121), "soon"],
    [running(120), "last"],
    [{ ...running(), run: "b" }, "other"],
    [{ code: "stopping", run: "a" }, "stopping"],
    [{ code: "ended", run: "a" }, "ended"],
    [{ code: "starting", run: "0" }, "starting"],
    [{ code: "sign_in" }, "sign_in"],
    [{ code: "refused" }, "refused"],
    [{ code: "unavailable" }, undefined],
  ])("%j is %j", (state, view) => {
    expect(viewOf(state, "a")).toBe(view);
  });

  it.each([
    [{ path: "a/b.ipynb", at: 5 }, "4", "restored"],
    [{ path: "a/b.ipynb", at: 5 }, "5", "restored"],
    [{ path: "a/b.ipynb", at: 5 }, "6", ""],
    [{ path: "a", at: 5 }, "4", "restored"],
    [{ path: "", at: 5 }, "4", "restored"],
    [{ path: "a/b", at: 5 }, "4", ""],
  ])("after %j was restored in place, with the file read at %s, is %j", (restored, read, view) => {
    expect(viewOf({ ...running(), session: { restored: [restored] } }, "a", new Map([["a/b.ipynb", read]]))).toBe(view);
  });

  it("takes the run that it sees first for the page's", () => {
    expect(viewOf(running(), undefined)).toBe("");
  });
});

describe("the path of a page in its session", () => {
  const id = "01a1ff5d-926e-78b3-a71f-9ff809b050ef";
  it.each([
    [`/s/${id}/notebooks/caf%C3%A9%201.ipynb`, "notebooks/café 1.ipynb"],
    [`/s/${id}/lab/tree/${id}/a.ipynb`, `lab/tree/${id}/a.ipynb`],
    [`/hub/user/ann@example.org/${id}/tree/a`, "tree/a"],
    [`/s/${id}/edit/100%.txt`, "edit/100%.txt"],
    [`/hub/user/ann@example.org/sagiplil2hz53xdj2aerukz4jvm/tree/${id}/a`, `tree/${id}/a`],
    ["/elsewhere", ""],
  ])("%s is %s", (pathname, inside) => {
    expect(pathInside(pathname, id)).toBe(inside);
  });
});

describe("the saved versions", () => {
  const [id, url] = ["01a2", "https://catalog.example.org/sessions/01a2/versions"];
  it.each([
    ["/s/01a2/notebooks/first-steps/figures%20%233.ipynb", `${url}?file=first-steps%2Ffigures%20%233.ipynb`],
    ["/s/01a2/nbclassic/notebooks/a.ipynb", `${url}?file=a.ipynb`],
    ["/s/01a2/edit/a%26b.py", `${url}?file=a%26b.py`],
    ["/s/01a2/lab/tree/first-steps/a.ipynb", `${url}?file=first-steps%2Fa.ipynb`],
    ["/s/01a2/lab/workspaces/auto-1/tree/a.ipynb", `${url}?file=a.ipynb`],
    ["/s/01a2/doc/tree/a.ipynb", `${url}?file=a.ipynb`],
    ["/s/01a2/tree/first-steps", url],
    ["/s/01a2/lab", url],
    ["/elsewhere", url],
  ])("from %s are at %s", (pathname, address) => {
    expect(versionsOf(url, pathname, id)).toBe(address);
  });
});

describe("following a session", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);

  /** A page of a session; what it shows, in its order, and how often it asked. */
  function page() {
    const world = { state: running() as State | Error, hidden: false, shown: [] as string[], asked: 0 };
    const followed = follow({
      ask: async () => {
        world.asked++;
        if (world.state instanceof Error) throw world.state;
        return world.state;
      },
      show: (view) => {
        if (view !== world.shown.at(-1)) world.shown.push(view);
      },
      hidden: () => world.hidden,
      now: () => Date.now(),
    });
    return Object.assign(world, followed);
  }

  it("asks at once, when the server knows of the tab, and then twice a minute", async () => {
    const world = page();
    await seconds(0);
    expect(world.asked).toBe(1);
    await seconds(2);
    expect(world.asked).toBe(2);
    await seconds(60);
    expect(world.asked).toBe(4);
    expect(world.shown).toEqual([""]);
  });

  it("asks more often in a workshop, so that a message is in the page within five seconds", async () => {
    const world = page();
    world.state = { ...running(), session: { workshop: {} } };
    await seconds(2);
    const asked = world.asked;
    for (let looks = 1; looks <= 10; looks++) {
      await seconds(4);
      expect(world.asked).toBe(asked + looks);
    }
    world.state = running(); // it has ended
    await seconds(4);
    expect(world.asked).toBe(asked + 11);
    await seconds(29);
    expect(world.asked).toBe(asked + 11);
    world.hidden = true;
    await seconds(3600);
    expect(world.asked).toBeLessThanOrEqual(asked + 12);
  });

  it("offers the sign-in, and says that it is done, once", async () => {
    const world = page();
    await seconds(0);
    for (const state of [
      running(500),
      running(100),
      { code: "sign_in" },
      running(),
      running(),
      running(500),
      running(),
    ]) {
      world.state = state;
      await seconds(30);
    }
    expect(world.shown).toEqual(["", "soon", "last", "sign_in", "again", "", "soon", "again"]);
  });

  it("says that the session has ended, and what became of it", async () => {
    const world = page();
    await seconds(0);
    for (const code of ["ended", "starting", "running"]) {
      world.state = { code, run: "b" };
      await seconds(30);
    }
    expect(world.shown).toEqual(["", "ended", "starting", "other"]);
  });

  it("asks in short steps while the session is being stopped", async () => {
    const world = page();
    world.state = { code: "stopping", run: "a" };
    await seconds(10);
    world.state = { code: "ended", run: "a" };
    await seconds(2);
    expect(world.shown).toEqual(["stopping", "ended"]);
    const asked = world.asked;
    await seconds(29);
    expect(world.asked).toBe(asked);
  });

  it("asks soon when there is cause, four times at most, however often there is", async () => {
    const world = page();
    await seconds(3);
    for (let count = 0; count < 50; count++) world.hurry();
    await seconds(20);
    expect(world.asked).toBe(2 + 4);
  });

  it("shows what it knows, and asks ever less, while the server doesn't answer", async () => {
    const world = page();
    await seconds(0);
    world.state = { code: "ended", run: "a" };
    await seconds(30);
    for (const trouble of [new Error("offline"), { code: "unavailable" }]) {
      world.state = trouble;
      await seconds(600);
    }
    expect(world.shown).toEqual(["", "ended"]);
    expect(world.asked).toBeLessThan(30);
    world.state = running();
    world.hurry();
    await seconds(0);
    expect(world.shown.at(-1)).toBe("");
  });

  it("says that the server can't be reached, and that it can again", async () => {
    const world = page();
    await seconds(0);
    world.state = { code: "unavailable" };
    await seconds(2);
    expect(world.shown).toEqual([""]); // once may be chance
    await seconds(2);
    expect(world.shown).toEqual(["", "away"]);
    world.state = new Error("offline");
    await seconds(40);
    world.state = running();
    await seconds(5);
    expect(world.shown).toEqual(["", "away", "back"]);
  });

  it("says after an absence what became of the session", async () => {
    const world = page();
    await seconds(0);
    world.state = new Error("offline");
    await seconds(10);
    world.state = { code: "ended", run: "a" };
    await seconds(5);
    expect(world.shown).toEqual(["", "away", "ended"]);
  });

  it("doesn't ask while nobody sees the page", async () => {
    const world = page();
    await seconds(0);
    world.hidden = true;
    world.pause();
    world.hurry();
    await seconds(3600);
    expect(world.asked).toBe(1);
    world.hidden = false;
    world.hurry();
    await seconds(0);
    expect(world.asked).toBe(2);
  });
});

describe("the kernel of a notebook", () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    [false, 1],
    [true, 0],
  ])("whose connection is %s connects %i times", (connected, times) => {
    const kernel = { is_connected: () => connected, reconnect: vi.fn() };
    vi.stubGlobal("Jupyter", { notebook: { kernel } });
    reconnect();
    expect(kernel.reconnect).toHaveBeenCalledTimes(times);
  });

  it("isn't looked for in pages without one", () => {
    expect(reconnect).not.toThrow();
    vi.stubGlobal("Jupyter", {});
    expect(reconnect).not.toThrow();
  });
});

describe("what is said about saved versions", () => {
  it.each([
    [{ ago: 0 }, "Saved just now"],
    [{ ago: 59 }, "Saved just now"],
    [{ ago: 200 }, "Saved 3 min ago"],
    [{ ago: 3 * 3600 }, "Saved 3 h ago"],
    [{ ago: -1 }, "Not saved yet"],
    [{ ago: 5, stopped: "The disk is full." }, "Not saved"],
  ])("of %j is %s", (saving, text) => {
    expect(savedOf(saving)).toBe(text);
  });
});

describe("the strip of a running session", () => {
  const session = {
    mayKeep: true,
    usage: { memoryBytes: 431 * 2 ** 20, diskBytes: 1.5 * 2 ** 30 },
    limits: { memoryBytes: 2 * 2 ** 30, diskBytes: 10 * 2 ** 30 },
  };

  it("says when it stops, and what it uses of its limits", () => {
    expect(stripOf({ ...session, stopsIn: 52 * 60 - 20 })).toEqual({
      time: "Stops in 51 min",
      soon: false,
      mayKeep: true,
      warning: "",
      meters: [
        { label: "Memory", text: "431 MiB of 2 GiB", part: 431 / 2048 },
        { label: "Disk", text: "1.5 GiB of 10 GiB", part: 0.15 },
      ],
      pressing: "",
    });
  });

  it("leaves out what isn't known", () => {
    const { time, meters } = stripOf({ mayKeep: false, usage: { diskBytes: 5000 }, limits: {} });
    expect([time, meters]).toEqual(["", [{ label: "Disk", text: "4.9 KiB", part: undefined }]]);
  });

  it("comes back before the stop, and for each warning", () => {
    expect(stripOf({ ...session, stopsIn: 601 }).pressing).toBe("");
    expect(stripOf({ ...session, stopsIn: 600 }).pressing).not.toBe("");
    const [one, other] = ["A kernel ran out.", "The disk is full."].map(
      (warning) => stripOf({ ...session, warning }).pressing,
    );
    expect(one).not.toBe(other);
  });

  it("counts hours from 90 minutes on", () => {
    expect(stripOf({ ...session, stopsIn: 7.9 * 3600 }).time).toBe("Stops in 7.9 h");
    expect(stripOf({ ...session, stopsIn: 89 * 60 }).time).toBe("Stops in 89 min");
  });
});

it.each(cases.fileSize)("writes %d bytes as the page does: %s", (size, text) => {
  expect(sizeOf(Number(size))).toBe(text);
});

describe("who else is there", () => {
  it("names them, and says what they do", () => {
    const present = [
      { name: "Casey", as: "edit", people: 1 },
      { name: "Robin", as: "owner", people: 1 },
      { name: "", as: "see", people: 1 },
      { name: "", as: "see", people: 12 },
    ];
    expect(companyOf({ present })).toBe(
      "Here now: Casey (working), Robin (whose session it is), somebody with the link, 12 people with the link.",
    );
    expect(companyOf({})).toBe("");
  });

  it("tells guests whose session it is", () => {
    expect(companyOf({ guest: "Robin" })).toBe("You’re in Robin’s session: what you do here counts as theirs.");
  });

  it("says where somebody else’s version of a file is", () => {
    expect(keptOf("a%20b/n%20(other%20version).ipynb")).toContain("kept as “n (other version).ipynb”");
    expect(keptOf("%")).toContain("“%”");
  });
});

describe("the address at which Jupyter shows a file", () => {
  it.each([
    ["exercise.ipynb", false, "/s/1/notebooks/exercise.ipynb"],
    ["part 2/exercise (from the host).ipynb", false, "/s/1/notebooks/part%202/exercise%20(from%20the%20host).ipynb"],
    ["data/100% #1?.csv", false, "/s/1/edit/data/100%25%20%231%3F.csv"],
    ["Makefile", false, "/s/1/edit/Makefile"],
    ["a.b/figure.png", false, "/s/1/tree/a.b/figure.png"],
    ["part 2/exercise.ipynb", true, "/s/1/lab/tree/part%202/exercise.ipynb"],
    ["figure.png", true, "/s/1/lab/tree/figure.png"],
  ])("%s (in Lab: %s) is %s", (file, isLab, address) => {
    expect(addressOf("/s/1/", file, isLab)).toBe(address);
  });
});

describe("what was handed out", () => {
  const file = (path: string, how = "new", at = path, more = {}) => ({ path, at, how, ...more });
  const beside = (name: string) => file(`${name}.ipynb`, "beside", `${name} (from the host).ipynb`);
  it.each([
    [[file("part 2/exercise.ipynb")], "The host handed out exercise.ipynb: it is in your files."],
    [[file("exercise.ipynb", "there")], "The host handed out exercise.ipynb: it is in your files."],
    [
      [file("exercise.ipynb", "replaced")],
      "The host handed out exercise.ipynb: it is in your files. It replaced the earlier one, which nobody had changed.",
    ],
    [
      [beside("exercise")],
      "The host handed out exercise.ipynb. Your file keeps its name; the host’s is “exercise (from the host).ipynb”.",
    ],
    [[file("a.py"), file("b.csv")], "The host handed out a.py and b.csv: they are in your files."],
    [
      ["a", "b", "c", "d", "e"].map((name) => file(name)),
      "The host handed out a, b, c and 2 more: they are in your files.",
    ],
    [
      [file("a.py"), beside("b")],
      "The host handed out a.py and b.ipynb: they are in your files. Your file b.ipynb keeps its name; the host’s is “b (from the host).ipynb”.",
    ],
    [
      [file("a.py"), beside("b"), beside("c")],
      "The host handed out a.py, b.ipynb and c.ipynb: they are in your files. 2 of them lie beside your own files, which keep their names.",
    ],
    [
      [beside("b"), beside("c")],
      "The host handed out b.ipynb and c.ipynb. They lie beside your own files, which keep their names.",
    ],
    [
      [file("a.py", "new", "a.py", { kept: "x/a (other version).py" })],
      "The host handed out a.py: it is in your files. What was saved meanwhile is kept as “a (other version).py”.",
    ],
  ])("%j is told", (files, text) => {
    expect(handedOf({ files })).toBe(text);
  });

  it("is told to guests as the files of whoever has the seat", () => {
    expect(handedOf({ files: [file("a.py")] }, "Robin")).toBe("The host handed out a.py: it is in Robin’s files.");
    expect(handedOf({ files: [beside("b")] }, "Robin")).toContain("Robin’s file keeps its name");
  });
});

describe("the end of a workshop", () => {
  it.each([
    [600, "The workshop ends in 10 min. Your files are kept; save your work.", false],
    [480, "The workshop ends in 8 min. Your files are kept; save your work.", false],
    [120, "The workshop ends in 2 min. Your files are kept; save your work.", true],
    [5, "The workshop ends in 1 min. Your files are kept; save your work.", true],
    [0, "The workshop is ending. Your files are kept; save your work.", true],
    [-3, "The workshop is ending. Your files are kept; save your work.", true],
  ])("in %i seconds is told", (endsIn, text, pressing) => {
    expect(endOf({ endsIn, ending: false })).toMatchObject({ text, pressing });
  });

  it("is told ten minutes before, or when a host ends it", () => {
    expect(endOf({ endsIn: 601, ending: false })).toBeUndefined();
    expect(endOf({ endsIn: 900, ending: true })?.text).toContain("ends in 15 min");
  });

  it("is read out before the last ten, five, two and one minutes, and not in between", () => {
    const marks = Array.from({ length: 601 }, (_, gone) => endOf({ endsIn: 600 - gone, ending: false })?.mark);
    const read = marks.flatMap((mark, gone) => (mark === marks[gone - 1] ? [] : [600 - gone]));
    expect(read).toEqual([600, 300, 120, 60, 0]);
  });

  it("is the end of the session to its guests", () => {
    expect(endOf({ endsIn: 60, ending: false }, "Robin")?.text).toBe(
      "The workshop ends in 1 min, and this session with it.",
    );
  });
});

describe("a workshop", () => {
  const at = "2026-03-01T12:00:00Z";
  const told = (...ids: string[]) => ids.map((id) => ({ id, text: `<b>${id}</b>`, at }));
  const handed = (...ids: string[]) =>
    ids.map((id) => ({ id, at, files: [{ path: `${id}.ipynb`, at: `${id}.ipynb`, how: "new" }] }));
  const workshop = {
    id: "w",
    name: "Spikes for beginners",
    seat: 7,
    endsIn: 3600,
    ending: false,
    handUp: false,
    messages: told("second", "first"),
    handouts: handed("later", "earlier"),
    asks: [{ id: "a", who: "Casey", can: "see" }],
  };
  const session = { jupyter: "/s/1/", share: "https://catalog.example.org/sessions/1/share", workshop };

  it("is nothing outside of workshops", () => {
    expect(workshopOf({ jupyter: "/s/1/" })).toBeUndefined();
  });

  it("says the last message and hand-out, and keeps the earlier ones", () => {
    expect(workshopOf(session)).toMatchObject({
      seat: { number: 7, text: "Seat 7", title: "Spikes for beginners" },
      hand: { label: "Raise hand", isUp: false, text: "" },
      message: { id: "second", text: "From the host: <b>second</b>", hasMore: true },
      handout: {
        id: "later",
        text: "The host handed out later.ipynb: it is in your files.",
        links: [{ name: "later.ipynb", at: "later.ipynb", href: "/s/1/notebooks/later.ipynb" }],
        hasMore: true,
      },
      end: undefined,
      messages: [
        { text: "<b>second</b>", at },
        { text: "<b>first</b>", at },
      ],
      handouts: [{ at }, { at }],
    });
  });

  it("doesn't repeat what was dismissed, until something newer comes", () => {
    const dismissed = { said: "second", handed: "later" };
    const shown = workshopOf(session, { dismissed });
    expect([shown?.message, shown?.handout, shown?.messages.length, shown?.handouts.length]).toEqual([
      undefined,
      undefined,
      2,
      2,
    ]);
    const newer = { ...workshop, messages: told("third", "second"), handouts: handed("last", "later") };
    const again = workshopOf({ ...session, workshop: newer }, { dismissed });
    expect([again?.message?.id, again?.handout?.id]).toEqual(["third", "last"]);
  });

  it("does without what isn't there yet", () => {
    const shown = workshopOf({ ...session, workshop: { ...workshop, messages: null, handouts: null, asks: null } });
    expect(shown).toMatchObject({ message: undefined, handout: undefined, ask: undefined, messages: [], handouts: [] });
  });

  it("names three files of a hand-out, and links to them where they lie", () => {
    const files = ["a.py", "b.csv", "c.png", "d.md"].map((path) => ({ path, at: `x/${path}`, how: "beside" }));
    const shown = workshopOf({ ...session, workshop: { ...workshop, handouts: [{ id: "h", at, files }] } });
    expect(shown?.handout).toMatchObject({
      links: [{ href: "/s/1/edit/x/a.py" }, { href: "/s/1/edit/x/b.csv" }, { href: "/s/1/tree/x/c.png" }],
      hasMore: true,
    });
  });

  it("has a hand that is up", () => {
    expect(workshopOf({ ...session, workshop: { ...workshop, handUp: true } })?.hand).toEqual({
      label: "Lower hand",
      isUp: true,
      text: "Your hand is up: the host sees it.",
    });
  });

  it.each([
    ["see", "Casey asks to see this session.", "They see your notebooks and files until the session ends."],
    [
      "copy",
      "Casey asks to see this session and to copy its work.",
      "They see your notebooks and files, and can start a session of their own with them, until the session ends.",
    ],
    [
      "edit",
      "Casey asks to work in this session with you.",
      "They work in your notebooks and files as you do until the session ends.",
    ],
  ])("asks one host after the other to be let in: %s", (can, text, means) => {
    const asks = [{ id: "a", who: "Casey", can }, ...workshop.asks.map((one) => ({ ...one, id: "b" }))];
    const asked = { ...session, workshop: { ...workshop, asks } };
    expect(workshopOf(asked)?.ask).toMatchObject({ id: "a", text, means: `${means} You can end that with Share.` });
    expect(workshopOf({ jupyter: "/s/1/", workshop: asked.workshop })?.ask?.means).toBe(means);
    expect(workshopOf(asked, { answered: ["a"] })?.ask?.id).toBe("b");
    expect(workshopOf(asked, { answered: ["a", "b"] })?.ask).toBeUndefined();
  });

  it("lets guests of the session see what is said, and nothing else", () => {
    const shown = workshopOf({ ...session, guest: "Robin" });
    expect([shown?.hand, shown?.ask]).toEqual([undefined, undefined]);
    expect(shown?.message?.id).toBe("second");
  });
});

describe("the stop of a session", () => {
  it.each([
    [
      { saving: {} },
      "Saved files are kept, with their earlier versions, and you can start it again from your sessions. Variables are lost. Save in Jupyter first.",
    ],
    [
      {},
      "Saved files are kept and you can start it again from your sessions. Variables are lost. Save in Jupyter first.",
    ],
    [
      { saving: {}, workshop: {} },
      "Saved files are kept, with their earlier versions. Your seat stays yours: you can enter it again from the page where you joined. Variables are lost. Save in Jupyter first.",
    ],
  ])("%j means", (session, text) => {
    expect(stopTextOf(session)).toBe(text);
  });
});
