package dataset

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// BenchmarkTable previews files of 5 MB: one with few columns, where 5,000 rows are read quickly, and one with many,
// where reading ends at 4 MiB.
func BenchmarkTable(b *testing.B) {
	for _, columns := range []int{5, 50, 200} {
		b.Run(fmt.Sprint(columns, " columns"), func(b *testing.B) {
			var text strings.Builder
			for i := range columns {
				fmt.Fprintf(&text, "value_%d,", i)
			}
			for row := 0; text.Len() < 5_000_000; row++ {
				text.WriteString("\n")
				for i := range columns {
					fmt.Fprintf(&text, "%.5f,", float64(row)+math.Sin(float64(row*i)))
				}
			}
			folder := b.TempDir()
			write(b, folder, map[string]string{"a.csv": text.String()})
			tree := openTree(b, folder, ".")
			for b.Loop() {
				if table, err := tree.Table(b.Context(), "a.csv", ""); err != nil || table.RowsRead < 1000 {
					b.Fatal(table.RowsRead, err)
				}
			}
		})
	}
}
