// The page around learns how tall this is. In a frame named "still" the wheel scrolls that page until a click.
if (parent !== self) {
  const root = document.documentElement;
  new ResizeObserver(() => parent.postMessage(Math.ceil(root.getBoundingClientRect().height), "*")).observe(root);
  if (name === "still") {
    const still = (is) => root.classList.toggle("still", is);
    still(!document.hasFocus());
    addEventListener("focus", () => still(false));
    addEventListener("blur", () => still(true));
  }
}
