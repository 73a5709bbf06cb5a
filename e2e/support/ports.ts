import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";

/** Browsers block some ports below it. */
const lowest = 20_000;

/**
 * Finds consecutive free ports on the loopback address and returns the first. They are outside the ephemeral range, so
 * that they stay free until they are used, also while a server restarts.
 */
export async function freePorts(count: number): Promise<number> {
  const given = await readFile("/proc/sys/net/ipv4/ip_local_port_range", "utf8");
  const highest = Number.parseInt(given, 10) - count;
  for (let tries = 0; tries < 50; tries++) {
    const first = lowest + Math.floor(Math.random() * (highest - lowest));
    const open: Server[] = [];
    try {
      for (let port = first; port < first + count; port++) open.push(await listen(port));
      return first;
    } catch {
      // One of them is in use.
    } finally {
      await Promise.all(open.map((server) => new Promise((resolve) => server.close(resolve))));
    }
  }
  throw new Error("no ports are free");
}

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}
