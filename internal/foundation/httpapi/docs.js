// What a script adds to the pages that the server writes, which do without it: whoever is signed in needs no Login, an
// address with the name of a call opens that call, and the list of calls can be filtered.
if (Object.keys(localStorage).some((key) => key.startsWith("oidc.user:"))) {
  document.querySelector(".login").hidden = true;
}

const openNamed = () => {
  const named = document.getElementById(location.hash.slice(1));
  if (named instanceof HTMLDetailsElement) named.open = true;
};
addEventListener("hashchange", openNamed);
openNamed();

const filter = document.getElementById("filter");
if (filter) {
  const calls = [...document.querySelectorAll("details")].map((element) => ({
    element,
    text: element.textContent.toLowerCase(),
  }));
  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { element, text } of calls) {
      element.hidden = !words.every((word) => text.includes(word));
      if (!element.hidden) count++;
    }
    for (const section of document.querySelectorAll("section")) {
      section.hidden = words.length > 0 && !section.querySelector("details:not([hidden])");
      document.querySelector(`.side a[href="#${section.id}"]`).parentElement.hidden = section.hidden;
    }
    document.getElementById("found").textContent = words.length === 0 ? "" : `${count} of ${calls.length} calls`;
  };
  filter.addEventListener("input", show);
  filter.parentElement.hidden = false;
  show(); // a browser may have kept the text of an earlier visit
}
