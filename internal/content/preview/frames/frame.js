// The page around learns how tall this is on the screen and on paper, and how far down the place that a link in it leads to.
// In a frame named "still" the wheel scrolls that page until a click.
// A picture that can't be shown becomes its words.
addEventListener(
  "error",
  ({ target }) => {
    if (!(target instanceof HTMLImageElement)) return;
    const words = document.createElement("span");
    words.className = "absent";
    words.textContent = `${target.alt} (this picture can't be shown)`;
    target.replaceWith(words);
  },
  true,
);
if (parent !== self) {
  addEventListener("click", ({ target }) => {
    const place = document.getElementById(target.closest('a[href^="#"]')?.hash.slice(1));
    if (place) parent.postMessage({ top: place.getBoundingClientRect().top + scrollY }, "*");
  });
  const root = document.documentElement;
  new ResizeObserver(() => parent.postMessage(Math.ceil(root.getBoundingClientRect().height), "*")).observe(root);
  // A page on paper has no time to ask, so it knows the height before: with the rules for print, and the width that
  // NotebookFrame.module.css has there. The first style is the server's.
  const onPaper = () => {
    const rules = [...document.querySelector("style").sheet.cssRules].filter((rule) => rule.media?.mediaText === "print");
    for (const rule of rules) rule.media.mediaText = "all";
    root.style.width = "640px";
    const height = Math.ceil(root.getBoundingClientRect().height);
    root.style.width = "";
    for (const rule of rules) rule.media.mediaText = "print";
    parent.postMessage({ printed: height }, "*");
  };
  addEventListener("load", () => setTimeout(onPaper));
  if (name === "still") {
    const still = (is) => root.classList.toggle("still", is);
    still(!document.hasFocus());
    addEventListener("focus", () => still(false));
    addEventListener("blur", () => still(true));
  }
}
