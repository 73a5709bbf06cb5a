// Package notebook renders Jupyter notebooks (.ipynb, formats 3 and 4) as HTML that is safe to show: sanitized, without
// script, style or external addresses, with mathematics as MathML. Where notebooks come from, at which address they are
// shown and under which policy is decided elsewhere.
//
// The content of a notebook is treated as hostile throughout. Its HTML and Markdown pass the sanitizer (sanitize.go),
// which has a list of elements and attributes; what the package generates itself (highlighted code, pictures, formulas)
// is built from checked parts and inserted afterwards.
package notebook
