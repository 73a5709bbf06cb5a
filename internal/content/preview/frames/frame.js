// The page around learns how tall this is, and how far down the heading that was chosen in the outline. In a frame named
// "still" the wheel scrolls that page until a click.
if (parent !== self) {
  addEventListener("click", ({ target }) => {
    const heading = document.getElementById(target.closest(".outline a")?.hash.slice(1));
    if (heading) parent.postMessage({ top: heading.getBoundingClientRect().top + scrollY }, "*");
  });
  const root = document.documentElement;
  new ResizeObserver(() => parent.postMessage(Math.ceil(root.getBoundingClientRect().height), "*")).observe(root);
  if (name === "still") {
    const still = (is) => root.classList.toggle("still", is);
    still(!document.hasFocus());
    addEventListener("focus", () => still(false));
    addEventListener("blur", () => still(true));
  }
}
