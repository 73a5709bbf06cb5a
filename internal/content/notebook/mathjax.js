// What the server calls of MathJax for one formula: gives [MathML, ""], or ["", why it is none]. The definitions are the
// formulas before it that define commands, as they hold for the rest of a notebook. Nothing grows without end; what an
// author may not write, such as an address, is taken out of the MathML afterwards.
(({ input, core, adaptors, handlers }) => {
  const { STATE } = core.MathItem;
  const visitor = new core.MmlTree.SerializedMmlVisitor.SerializedMmlVisitor();
  const adaptor = adaptors.liteAdaptor.liteAdaptor();
  const packages = (
    "base ams amscd bbox boldsymbol braket cancel cases centernot color empheq enclose extpfeil gensymb html " +
    "mathtools mhchem newcommand noundefined unicode units upgreek verb"
  ).split(" ");
  const started = () => {
    const tex = new input.tex_ts.TeX({
      packages,
      tags: "none", // numbers of equations would begin anew in each cell
      noundefined: { color: "#b00020" },
      maxMacros: 500,
      maxBuffer: 10 * 1024,
      formatError: (_, error) => {
        throw error;
      },
    });
    return { held: [], document: new handlers.html.HTMLDocument.HTMLDocument("", adaptor, { InputJax: tex }) };
  };
  let current = started();
  const convert = (tex, display) => current.document.convert(tex, { display, end: STATE.CONVERT });
  const written = (tree) => visitor.visitTree(tree).replace(/>\n *</g, "><");
  // A formula that MathJax refuses has an id; anything else leaves the interpreter in an unknown state.
  const refusal = (error) => {
    if (error?.id) return error.message;
    throw error;
  };
  return (definitions, tex, display, defines) => {
    const { held } = current;
    if (held.length > definitions.length || held.some((one, at) => one !== definitions[at])) current = started();
    for (const one of definitions.slice(current.held.length)) {
      current.held.push(one);
      try {
        convert(one, true);
      } catch (error) {
        refusal(error);
      }
    }
    if (defines) current.held.push(tex);
    try {
      return [written(convert(tex, display)), ""];
    } catch (error) {
      return ["", refusal(error)];
    }
  };
})(MathJax._);
