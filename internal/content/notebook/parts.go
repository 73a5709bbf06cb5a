package notebook

import "encoding/json"

// Limits of a part, so that a browser shows it quickly.
const (
	partBytes = 2_000_000 // of the source; a single cell may have more
	partCells = 500
)

// split divides the cells of a notebook into parts by the size of their source, so the beginning of a part is known
// without rendering what precedes it.
func split(cells []json.RawMessage) [][]json.RawMessage {
	parts := [][]json.RawMessage{}
	begin, bytes := 0, 0
	for i, cell := range cells {
		if i > begin && (bytes+len(cell) > partBytes || i-begin == partCells) {
			parts = append(parts, cells[begin:i])
			begin, bytes = i, 0
		}
		bytes += len(cell)
	}
	return append(parts, cells[begin:])
}
