import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";

/** Below it are ports to which browsers make no calls. */
const lowest = 20_000;

/**
 * Finds ports in a row of the loopback address that are free, and returns the first. None is among those that the
 * system gives to whoever asks for any, so that they stay free until they are used, and between a stop and a start.
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
      // One of them is taken.
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
