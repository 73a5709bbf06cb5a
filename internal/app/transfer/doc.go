// Package transfer exports a catalog, and what people made of it, as lines of text, and imports such lines.
package transfer
