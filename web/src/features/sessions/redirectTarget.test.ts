import { describe, expect, it } from "vitest";
import { leadingOn, redirectTarget } from "./redirectTarget";

const origin = "http://127.0.0.1:8080";
const byHost = "http://{kind}-{id}.localhost:8081";
const byPath = "https://run.example.org/{kind}/{id}/";
const id = "01912d68-783e-7a03-8467-5661c1243ad4";

describe("redirectTarget", () => {
  it.each([
    ["a session's own host", `http://s-${id}.localhost:8081/.cairn/enter?ticket=x`, byHost],
    ["the path form", `https://run.example.org/s/${id}/?ticket=x`, byPath],
    ["our own origin", `${origin}/sessions`, byHost],
  ])("lets through %s", (_, address, template) => {
    expect(redirectTarget(address, template, origin)).toBe(address);
  });

  it.each([
    ["another host", "http://evil.example/", byHost],
    ["the right host as a prefix", `http://s-${id}.localhost.evil.example:8081/`, byHost],
    ["the right host as user information", `http://s-${id}.localhost:8081@evil.example/`, byHost],
    ["user information before the right host", `http://evil@s-${id}.localhost:8081/`, byHost],
    ["another port", `http://s-${id}.localhost:9999/`, byHost],
    ["another scheme", `https://s-${id}.localhost:8081/`, byHost],
    ["a script", "javascript:alert(1)//http://localhost", byHost],
    ["a host that only looks alike", `http://s-${id}xlocalhost:8081/`, byHost],
    ["something that is no id", "http://s-evil.localhost:8081/", byHost],
    ["a host below the path form's", `https://${id}.run.example.org/`, byPath],
    ["two slashes", "//evil.example/", byHost],
    ["nothing", undefined, byHost],
    ["a template that is no address", `http://s-${id}.localhost:8081/`, "localhost"],
  ])("open redirect by %s is refused", (_, address, template) => {
    expect(redirectTarget(address, template, origin)).toBeNull();
  });
});

describe("leadingOn", () => {
  const address = `http://s-${id}.localhost:8081/.cairn/s/${id}/enter?ticket=x`;

  it("names the page in the session, and nothing that would change the address before it", () => {
    expect(leadingOn(address, "/s/1/notebooks/a&ticket=y#?.ipynb")).toBe(
      `${address}&next=%2Fs%2F1%2Fnotebooks%2Fa%26ticket%3Dy%23%3F.ipynb`,
    );
  });

  it("leaves an address alone that leads nowhere in particular", () => {
    expect(leadingOn(address, null)).toBe(address);
  });
});
