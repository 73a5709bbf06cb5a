import { readdir, readFile, readlink } from "node:fs/promises";

/** A process on this machine. */
export interface Process {
  pid: number;
  command: string;
}

/**
 * Finds the processes that belong to a folder: their command line, environment or working directory names it, or they
 * descend from such a process. That includes processes in a sandbox, where the folder has another name.
 */
export async function processesBelow(folder: string): Promise<Process[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const all = await Promise.all(
    pids.map(async (pid) => {
      const [command, environment, directory, stat] = await Promise.all([
        readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""),
        readFile(`/proc/${pid}/environ`, "utf8").catch(() => ""),
        readlink(`/proc/${pid}/cwd`).catch(() => ""),
        readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""),
      ]);
      return {
        pid: Number(pid),
        // "pid (name) state parent ...", where the name may contain anything.
        parent: Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]),
        command: command.replaceAll("\0", " ").trim(),
        names: [command, environment, directory].some((text) => text.includes(folder)),
      };
    }),
  );
  const found = new Map(all.filter(({ names }) => names).map(({ pid, command }) => [pid, { pid, command }]));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent, command } of all) if (found.has(parent)) found.set(pid, { pid, command });
  }
  return [...found.values()];
}

/** Kills processes, and ignores those that have already ended. */
export function endProcesses(processes: Process[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}
