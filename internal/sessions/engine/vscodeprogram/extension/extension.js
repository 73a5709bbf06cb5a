// What a session adds to VS Code: kernels for notebooks, and in the status bar what the session's bar shows in Jupyter. It runs in the
// browser, at the session's own origin, and asks it with the cookie that the page has.
const vscode = require("vscode");

// The first part runs the cells of notebooks with the kernels of the session's Jupyter, as its own pages do: by its REST API and the websocket of a
// kernel (https://jupyter-client.readthedocs.io/en/stable/messaging.html).
/** A connection to the kernel of one notebook. */
class Kernel {
  /** @param {{ http: (path: string, options?: object) => Promise<any>, socket: string }} jupyter */
  static async start(jupyter, path, name) {
    const made = await jupyter.http("api/sessions", {
      method: "POST",
      body: JSON.stringify({ path, name: path.split("/").pop(), type: "notebook", kernel: { name } }),
    });
    const kernel = new Kernel(jupyter, made.kernel.id);
    await kernel.#connect();
    return kernel;
  }

  #jupyter;
  #socket;
  #session = crypto.randomUUID();
  /** What waits for the messages of a request, by the request's id. */
  #waiting = new Map();

  constructor(jupyter, id) {
    this.#jupyter = jupyter;
    this.id = id;
  }

  #connect() {
    this.#socket = new WebSocket(`${this.#jupyter.socket}api/kernels/${this.id}/channels?session_id=${this.#session}`);
    this.#socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      this.#waiting.get(message.parent_header?.msg_id)?.(message);
    };
    return new Promise((resolve, reject) => {
      this.#socket.onopen = resolve;
      this.#socket.onerror = () => reject(new Error("The session's kernel can't be reached."));
      this.#socket.onclose = () => {
        reject(new Error("The session's kernel can't be reached."));
        for (const tell of this.#waiting.values()) tell(undefined);
      };
    });
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Runs the code of a cell, and tells each message until the kernel has answered and is idle. The kernel's end is an undefined message. */
  execute(code, cellId, tell) {
    const id = crypto.randomUUID();
    const header = { msg_id: id, session: this.#session, username: "", date: new Date().toISOString(), msg_type: "execute_request", version: "5.3" };
    const content = { code, silent: false, store_history: true, user_expressions: {}, allow_stdin: true, stop_on_error: true };
    const done = new Promise((resolve) => {
      let replied;
      let idle = false;
      this.#waiting.set(id, (message) => {
        if (message === undefined) replied = { status: "error" };
        else if (message.header.msg_type === "execute_reply") replied = message.content;
        else if (message.header.msg_type === "status") idle = message.content.execution_state === "idle";
        else void tell(message, (value) => this.#send("stdin", { ...header, msg_id: crypto.randomUUID(), msg_type: "input_reply" }, { value }, message.header));
        if (replied && (idle || message === undefined)) {
          this.#waiting.delete(id);
          resolve(replied);
        }
      });
    });
    this.#send("shell", header, content, {}, { cellId }); // as JupyterLab says it
    return done;
  }

  #send(channel, header, content, parent_header, metadata = {}) {
    this.#socket.send(JSON.stringify({ channel, header, parent_header, metadata, content, buffers: [] }));
  }

  interrupt() {
    return this.#jupyter.http(`api/kernels/${this.id}/interrupt`, { method: "POST" });
  }
}

const { NotebookCellOutput: Output, NotebookCellOutputItem: Item } = vscode;
const joined = (text) => (Array.isArray(text) ? text.join("") : text);

/** The items of a bundle of forms of one output. */
function itemsOf(data) {
  return Object.entries(data).map(([mime, value]) => {
    if (/^image\/(?!svg)/.test(mime)) return new Item(Uint8Array.from(atob(joined(value)), (letter) => letter.charCodeAt(0)), mime);
    if (/json$/.test(mime)) return Item.json(value, mime);
    return Item.text(joined(value), mime);
  });
}

/** The output that a message brings; undefined if it brings none. What is saved with it is what Jupyter saves. */
function outputOf({ header: { msg_type: type }, content }) {
  switch (type) {
    case "stream":
      return new Output([content.name === "stderr" ? Item.stderr(content.text) : Item.stdout(content.text)], { outputType: type });
    case "display_data":
    case "execute_result":
      return new Output(itemsOf(content.data), { outputType: type, executionCount: content.execution_count, metadata: content.metadata });
    case "error":
      return new Output(
        [Item.error({ name: content.ename, message: content.evalue, stack: content.traceback.join("\n") })],
        { outputType: type, originalError: { output_type: "error", ...content } },
      );
  }
  return undefined;
}

/** Offers each kernel of the session for notebooks. */
async function offerKernels(context, jupyter) {
  const { kernelspecs } = await jupyter.http("api/kernelspecs");
  const running = new Map(); // by notebook, then by the name of the kernel
  const controllers = new Map(); // by the name of the kernel
  for (const { name, spec } of Object.values(kernelspecs)) {
    const controller = vscode.notebooks.createNotebookController(`cairn-${name}`, "jupyter-notebook", spec.display_name);
    controller.supportsExecutionOrder = true;
    controller.description = "This session";
    let order = 0;

    const kernelOf = async (notebook) => {
      const key = `${notebook.uri} ${name}`;
      if (!running.get(key)?.isOpen) running.set(key, await Kernel.start(jupyter, jupyter.pathOf(notebook.uri), name));
      return running.get(key);
    };

    const runCell = async (cell) => {
      const execution = controller.createNotebookCellExecution(cell);
      execution.start(Date.now());
      await execution.clearOutput();
      const shown = new Map(); // outputs that may be updated, by their id
      let clearing = false;
      try {
        const kernel = await kernelOf(cell.notebook);
        execution.token.onCancellationRequested(() => kernel.interrupt());
        let last = Promise.resolve(); // outputs come in the order of their messages
        const reply = await kernel.execute(cell.document.getText(), cell.metadata?.id, (message, answer) => {
          last = last.then(async () => {
            const { content } = message;
            switch (message.header.msg_type) {
              case "execute_input":
                execution.executionOrder = content.execution_count;
                return;
              case "clear_output":
                if (content.wait) clearing = true;
                else await execution.clearOutput();
                return;
              case "input_request":
                answer((await vscode.window.showInputBox({ prompt: content.prompt, password: content.password, ignoreFocusOut: true })) ?? "");
                return;
              case "update_display_data": {
                const output = shown.get(content.transient?.display_id);
                if (output) await execution.replaceOutputItems(itemsOf(content.data), output);
                return;
              }
            }
            const output = outputOf(message);
            if (!output) return;
            if (content.transient?.display_id) shown.set(content.transient.display_id, output);
            if (clearing) await execution.replaceOutput(output);
            else await execution.appendOutput(output);
            clearing = false;
          });
        });
        await last;
        execution.executionOrder ??= ++order;
        execution.end(reply.status === "ok", Date.now());
        return reply.status === "ok";
      } catch (error) {
        await execution.appendOutput(new Output([Item.error(error)]));
        execution.end(false, Date.now());
        return false;
      }
    };

    controller.executeHandler = async (cells) => {
      for (const cell of cells) if (!(await runCell(cell))) return; // as Jupyter does
    };
    controllers.set(name, controller);
    context.subscriptions.push(controller);
  }
  // A notebook has the kernel that it names, as in Jupyter; affinity alone would ask at the first cell.
  const choose = (editor) => {
    const wanted = editor?.notebook.metadata?.metadata?.kernelspec?.name ?? "python3";
    const controller = controllers.get(wanted) ?? controllers.get("python3");
    if (editor?.notebook.notebookType !== "jupyter-notebook" || !controller) return;
    controller.updateNotebookAffinity(editor.notebook, vscode.NotebookControllerAffinity.Preferred);
    const chosen = { notebookEditor: editor, id: controller.id, extension: context.extension.id, skipIfAlreadySelected: true };
    void vscode.commands.executeCommand("notebook.selectKernel", chosen);
  };
  context.subscriptions.push(vscode.window.onDidChangeActiveNotebookEditor(choose));
  choose(vscode.window.activeNotebookEditor);
}

const every = 30_000; // milliseconds between looks at the session
const active = 60_000; // and between reports that somebody works here

function sizeOf(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1023.5 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${value < 100 && unit > 0 ? Math.round(value * 10) / 10 : Math.round(value)} ${units[unit]}`;
}

function span(seconds) {
  const minutes = Math.max(1, Math.floor(seconds / 60));
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 6) / 10} h`;
}

exports.activate = async (context) => {
  const id = vscode.workspace.getConfiguration("cairn").get("session");
  if (!id) return;
  const origin = self.origin;
  const own = `${origin}/.cairn/s/${id}/`;
  const ask = async (address, options) => {
    const answer = await fetch(address, { credentials: "include", ...options, headers: { Accept: "application/json", "Content-Type": "application/json" } });
    if (!answer.ok) throw new Error(`The session answered ${answer.status}.`);
    return answer.status === 204 ? undefined : answer.json();
  };
  const root = vscode.workspace.workspaceFolders?.[0]?.uri.path ?? "/";

  const item = (priority, command) => {
    const made = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right, 1000 + priority);
    made.command = command;
    context.subscriptions.push(made);
    return made;
  };
  const [saved, used, time, stop] = [item(4, "cairn.versions"), item(3), item(2, "cairn.keep"), item(1, "cairn.stop")];
  stop.text = "$(debug-stop) Stop";
  stop.tooltip = "Stop this session. Saved files are kept.";
  let last;
  const look = async () => {
    try {
      last = (await ask(`${own}state`)).session;
    } catch {
      last = undefined;
    }
    for (const one of [saved, used, time, stop]) one[last ? "show" : "hide"]();
    if (!last) return;
    const { saving, usage, limits, stopsIn, warning } = last;
    saved.text = !saving ? "" : saving.stopped ? "$(warning) Not saved" : saving.ago < 0 ? "Not saved yet" : saving.ago < 60 ? "$(check) Saved just now" : `$(check) Saved ${span(saving.ago)} ago`;
    saved.tooltip = saving?.stopped ?? "Open the saved versions of this session";
    if (!saving) saved.hide();
    const of = (what, limit) => (limit ? `${sizeOf(what)} of ${sizeOf(limit)}` : sizeOf(what));
    used.text = usage.memoryBytes ? `Memory ${of(usage.memoryBytes, limits.memoryBytes)}` : "";
    used.tooltip = usage.diskBytes ? `Disk ${of(usage.diskBytes, limits.diskBytes)}` : "";
    time.text = stopsIn === undefined ? "" : `Stops in ${span(stopsIn)} if idle`;
    time.tooltip = "Keep this session going";
    if (warning) void vscode.window.showWarningMessage(warning);
  };
  const post = async (what) => {
    try {
      await ask(`${own}${what}`, { method: "POST" });
    } catch {
      void vscode.window.showErrorMessage("That didn't work. Try again in a moment.");
    }
    await look();
  };
  const command = (name, run) => context.subscriptions.push(vscode.commands.registerCommand(name, run));
  command("cairn.stop", async () => {
    const answer = await vscode.window.showWarningMessage(
      "Stop this session?",
      { modal: true, detail: "Saved files are kept, and you can start it again from your sessions. Variables are lost." },
      "Stop the session",
    );
    if (answer) await post("stop");
  });
  command("cairn.keep", () => post("keep"));
  command("cairn.versions", () => last?.saving && vscode.env.openExternal(vscode.Uri.parse(last.saving.url)));
  command("cairn.jupyter", () => vscode.env.openExternal(vscode.Uri.parse(`${origin}/s/${id}/`)));
  const timer = setInterval(look, every);
  context.subscriptions.push({ dispose: () => clearInterval(timer) });

  // An open page that nobody touches says nothing.
  let told = 0;
  const work = () => {
    if (Date.now() - told < active) return;
    told = Date.now();
    void ask(`${own}keep`, { method: "POST" }).catch(() => {});
  };
  // What runs in terminals is work as long as it runs, and so is a program that is debugged.
  const commands = new Map(); // the terminal of each
  const onRuns = setInterval(() => {
    if (commands.size > 0 || vscode.debug.activeDebugSession) work();
  }, every);
  context.subscriptions.push(
    { dispose: () => clearInterval(onRuns) },
    vscode.workspace.onDidChangeTextDocument(work),
    vscode.workspace.onDidChangeNotebookDocument(work),
    vscode.window.onDidChangeTextEditorSelection(work),
    vscode.window.onDidStartTerminalShellExecution(({ execution, terminal }) => {
      commands.set(execution, terminal);
      work();
    }),
    vscode.window.onDidEndTerminalShellExecution(({ execution }) => {
      commands.delete(execution);
      work();
    }),
    vscode.window.onDidCloseTerminal((closed) => {
      for (const [one, terminal] of commands) if (terminal === closed) commands.delete(one);
    }),
    vscode.debug.onDidStartDebugSession(work),
  );
  await look();
  const first = vscode.workspace.getConfiguration("cairn").get("open");
  const isEmpty = vscode.window.tabGroups.all.every(({ tabs }) => tabs.length === 0);
  if (first && isEmpty && vscode.workspace.workspaceFolders) {
    void vscode.commands.executeCommand("vscode.open", vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, first));
  }
  const jupyter = last?.jupyter ?? `/s/${id}/`;
  await offerKernels(context, {
    http: (path, options) => ask(`${origin}${jupyter}${path}`, options),
    socket: `${origin.replace(/^http/, "ws")}${jupyter}`,
    pathOf: (uri) => uri.path.replace(`${root}/`, ""),
  });
};
