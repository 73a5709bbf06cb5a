// What the server calls of KaTeX for one formula: gives [MathML, ""], or ["", why it is none]. Nothing that an author
// writes may lead to an address or a class (trust), nor grow without end.
(({ renderToString, ParseError }) => (tex, display) => {
  try {
    const options = { displayMode: display, output: "mathml", trust: false, strict: "ignore", throwOnError: true };
    return [renderToString(tex, { ...options, maxExpand: 1000, maxSize: 20, macros: {} }), ""];
  } catch (error) {
    if (error instanceof ParseError) return ["", error.rawMessage];
    throw error;
  }
})(katex);
