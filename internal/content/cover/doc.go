// Package cover makes the picture of each entry: its header image, a plot of its notebook, a column of its data, a
// figure of its README, or else a drawing. No entry is without one, so cards line up. sources.go finds what a picture is
// made from, drawing.go and painting.go make it.
package cover
