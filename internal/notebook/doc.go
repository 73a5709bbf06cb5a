// Package notebook makes a Jupyter notebook (.ipynb, formats 3 and 4) into HTML that is safe to show: sanitized, without
// script, style or foreign address, with mathematics as MathML. Where notebooks come from, at which address they are
// shown and under which policy is decided elsewhere.
//
// What a notebook says is held for hostile throughout. Its HTML and Markdown pass the sanitizer (sanitise.go), which
// knows elements and attributes by name; what the package makes itself (code in colors, pictures, formulas) is built
// from checked parts and put in afterwards.
package notebook
