package humanize

import (
	"math"
	"regexp"
	"strconv"
)

var (
	bytesPattern = regexp.MustCompile(`^([0-9]{1,9}(?:\.[0-9]{1,3})?) ?([MGT]i?B)$`)
	byteUnits    = map[string]float64{"MB": 1e6, "GB": 1e9, "TB": 1e12, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
)

// ParseBytes reads a size such as 2GiB; it returns false for any other text.
func ParseBytes(text string) (int64, bool) {
	found := bytesPattern.FindStringSubmatch(text)
	if found == nil {
		return 0, false
	}
	number, err := strconv.ParseFloat(found[1], 64)
	bytes := number * byteUnits[found[2]]
	return int64(bytes), err == nil && bytes < 1<<60
}

// Bytes writes a size in binary units, as fileSize of web/src/lib/measures.ts does: "512 bytes", "1.5 GiB", "320 MiB". What it says
// of the cases in rules.cases.json there, that function and the session bar say too.
func Bytes(size int64) string {
	const step = 1 << 10
	if size == 1 {
		return "1 byte"
	}
	if size < step {
		return strconv.FormatInt(size, 10) + " bytes"
	}
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB"}
	value, unit := float64(size)/step, 0
	for value >= step-0.5 && unit < len(units)-1 {
		value, unit = value/step, unit+1
	}
	parts := 1.0
	if value < 100 {
		parts = 10
	}
	return strconv.FormatFloat(math.Round(value*parts)/parts, 'f', -1, 64) + " " + units[unit]
}
