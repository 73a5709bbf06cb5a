import type { Page } from "@playwright/test";

/** Calls the API with the signed-in person's token, and returns the answer. */
export async function callAs<T>(page: Page, method: string, path: string, body?: object): Promise<T> {
  return page.evaluate(
    async ([verb, address, content]) => {
      const key = Object.keys(localStorage).find((name) => name.startsWith("oidc.user:")) ?? "";
      const { access_token: token } = JSON.parse(localStorage.getItem(key) ?? "{}");
      const answer = await fetch(`/api/v1/rf${address}`, {
        method: verb,
        headers: { Authorization: `Bearer ${token}`, ...(content && { "Content-Type": "application/json" }) },
        ...(content && { body: content }),
      });
      if (!answer.ok) throw new Error(`${verb} ${address}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
    [method, path, body && JSON.stringify(body)] as const,
  );
}

/** Starts a session from one of the caller's projects, and returns its id without waiting for it. */
export async function startByCall(page: Page, project: string, sessionName: string): Promise<string> {
  const projects = await callAs<{ id: string; name: string }[]>(page, "GET", "/projects");
  const id = projects.find(({ name }) => name === project)?.id;
  const query = new URLSearchParams({ sessionName });
  return (await callAs<{ sessionId: string }>(page, "GET", `/hub/start/project/${id}?${query}`)).sessionId;
}
