package notebooks

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// cells is the number of text cells, and of code cells, in the large notebook.
const cells = 60

// varied returns a notebook of about 1 MB without repetition: text with formulas, code, colored logs, tables and
// pictures, each with different numbers and names, so no cached piece is used twice.
func varied() []byte {
	random := rand.New(rand.NewPCG(1, 2))
	var all []map[string]any
	for number := range cells {
		all = append(all,
			map[string]any{"cell_type": "markdown", "metadata": map[string]any{}, "source": text(random, number)},
			map[string]any{
				"cell_type": "code", "metadata": map[string]any{}, "execution_count": number + 1, "source": code(random, number),
				"outputs": outputs(random),
			})
	}
	content, err := json.Marshal(map[string]any{
		"nbformat": 4, "nbformat_minor": 5, "cells": all,
		"metadata": map[string]any{"language_info": map[string]any{"name": "python"}},
	})
	if err != nil {
		panic(err) // of texts, numbers and maps
	}
	return content
}

func text(random *rand.Rand, number int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "## Step %d\n\n", number+1)
	for sentence := range 8 {
		fmt.Fprintf(&out, "Run %d gave *%.3f* at [site %d](https://example.org/%d), **%d** times. ", sentence, random.Float64(), random.IntN(99), random.IntN(9999), random.IntN(99))
	}
	fmt.Fprintf(&out, "With $k_{%d} = %.2f$:\n\n$$\\int_0^{%d} \\frac{x^{%d}}{\\sqrt{1 + %.2f x}}\\,dx$$\n", number, random.Float64(), random.IntN(99)+1, number+2, random.Float64())
	return out.String()
}

func code(random *rand.Rand, number int) string {
	lines := []string{fmt.Sprintf("def step_%d(values, rate=%.4f):", number, random.Float64())}
	for line := range 12 {
		lines = append(lines, fmt.Sprintf("    values[%d] += rate * np.exp(-%.3f)  # term %d of %q", line, random.Float64(), line, fmt.Sprint(random.IntN(9999))))
	}
	return strings.Join(append(lines, "    return values"), "\n")
}

func outputs(random *rand.Rand) []map[string]any {
	var log, table strings.Builder
	for line := range 40 {
		fmt.Fprintf(&log, "epoch %d \x1b[32mloss\x1b[0m %.6f\n", line, random.Float64())
		fmt.Fprintf(&table, "<tr><th>%d</th><td>%.4f</td><td>%.4f</td></tr>", line, random.Float64(), random.Float64())
	}
	picture := make([]byte, 6_000)
	for i := range picture {
		picture[i] = byte(random.Uint32())
	}
	copy(picture, "GIF89a\x10\x00\x10\x00") // 16 pixels wide and high
	shown := func(mime, content string) map[string]any {
		return map[string]any{"output_type": "display_data", "metadata": map[string]any{}, "data": map[string]any{mime: content}}
	}
	return []map[string]any{
		{"output_type": "stream", "name": "stdout", "text": log.String()},
		shown("text/html", "<table>"+table.String()+"</table>"),
		shown("image/gif", base64.StdEncoding.EncodeToString(picture)),
	}
}
