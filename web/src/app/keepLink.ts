// Takes the secret of a link to a session, /shared#SECRET, out of the address before anything reads that: it stays in this
// tab's session storage alone, where features/sharing/link.ts finds it, and comes into no history, picture of the screen,
// sign-in or other address. It's short, because every visit loads it.
if (location.pathname === "/shared" && location.hash) {
  sessionStorage["/shared"] = location.hash;
  history.replaceState(null, "", "/shared");
}

export {};
