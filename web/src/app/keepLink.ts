// Takes the secret of a link to a session, /shared#SECRET, or the code of one to a workshop, /join/KEY#CODE, out of the
// address before anything reads that: it stays in this tab's session storage alone, where features/sharing/link.ts and
// features/workshops/code.ts find it, and comes into no history, picture of the screen, sign-in or other address. It's short,
// because every visit loads it: no other page's path begins so.
const { pathname, hash } = location;
if (hash && /^.(sh|joi)/.test(pathname)) {
  sessionStorage[pathname] = hash;
  history.replaceState(null, "", pathname);
}

export {};
