import { spawn } from "node:child_process";
import { once } from "node:events";

const startDeadline = 60_000;

/** A helper program of the tests. */
export interface Program {
  /** The address that it printed first. */
  address: string;
  end: () => Promise<void>;
}

/** Starts a program built by `make e2e`, and waits until it prints its address: the first group of the pattern. */
export async function startProgram(binary: string, parameters: string[], pattern: RegExp): Promise<Program> {
  const child = spawn(binary, parameters, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const address = await new Promise<string>((resolve, reject) => {
    const fail = (reason: string) => {
      clearTimeout(deadline);
      child.kill();
      reject(new Error(`${binary} ${reason}\n${output}`));
    };
    const deadline = setTimeout(() => fail(`said no address within ${startDeadline / 1000} s`), startDeadline);
    const read = (text: string) => {
      output += text;
      const told = pattern.exec(output)?.[1];
      if (told === undefined) return;
      clearTimeout(deadline);
      resolve(told);
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    child.once("error", (error) => fail(`did not start: ${error.message}; build it with make e2e`));
    child.once("exit", (code, signal) => fail(`ended at once with ${code ?? signal}`));
  });
  return {
    address,
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, "exit");
      child.kill();
      await exit;
    },
  };
}
