package parquet

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// shown returns the text of a value.
func (n *node) shown(one raw) value {
	switch n.physical {
	case typeBoolean:
		return value{text: strconv.FormatBool(one.number != 0)}
	case typeInt32:
		if !one.isSet {
			one.number = int64(int32(binary.LittleEndian.Uint32(one.bytes)))
		}
		return n.integer(one.number)
	case typeInt64:
		if !one.isSet {
			one.number = int64(binary.LittleEndian.Uint64(one.bytes))
		}
		return n.integer(one.number)
	case typeInt96: // nanoseconds of a day, and the Julian number of the day
		nanoseconds, day := int64(binary.LittleEndian.Uint64(one.bytes)), int64(binary.LittleEndian.Uint32(one.bytes[8:]))
		return value{text: stamp(time.Unix((day-2_440_588)*86_400, nanoseconds), false), isWord: true}
	case typeFloat:
		return number(float64(math.Float32frombits(binary.LittleEndian.Uint32(one.bytes))), 32)
	case typeDouble:
		return number(math.Float64frombits(binary.LittleEndian.Uint64(one.bytes)), 64)
	default:
		return n.words(one.bytes)
	}
}

func (n *node) integer(one int64) value {
	switch n.meaning {
	case meansDecimal:
		return value{text: decimal(big.NewInt(one), n.scale)}
	case meansDate:
		return value{text: time.Unix(one*86_400, 0).UTC().Format(time.DateOnly), isWord: true}
	case meansTime:
		if n.unit > 0 {
			return value{text: moment(one, n.unit).Format("15:04:05.999999999"), isWord: true}
		}
	case meansTimestamp:
		if n.unit > 0 {
			return value{text: stamp(moment(one, n.unit), n.utc), isWord: true}
		}
	case meansUnsigned:
		if n.physical == typeInt32 {
			return value{text: strconv.FormatUint(uint64(uint32(one)), 10)}
		}
		return value{text: strconv.FormatUint(uint64(one), 10)}
	}
	return value{text: strconv.FormatInt(one, 10)}
}

// moment returns a moment in units since 1970.
func moment(count, unit int64) time.Time {
	return time.Unix(count/unit, count%unit*(1_000_000_000/unit)).UTC()
}

func stamp(at time.Time, utc bool) string {
	if utc {
		return at.UTC().Format(time.RFC3339Nano)
	}
	return at.UTC().Format("2006-01-02T15:04:05.999999999")
}

// number returns a number; what isn't one has no place in JSON without quotes.
func number(one float64, size int) value {
	return value{text: strconv.FormatFloat(one, 'g', -1, size), isWord: math.IsNaN(one) || math.IsInf(one, 0)}
}

// longestDecimal is in bytes: the format's decimals of 76 digits have 32.
const longestDecimal = 64

func (n *node) words(one []byte) value {
	switch {
	case n.meaning == meansDecimal && len(one) <= longestDecimal:
		unscaled := new(big.Int).SetBytes(one)
		if len(one) > 0 && one[0]&0x80 != 0 {
			unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(len(one)*8)))
		}
		return value{text: decimal(unscaled, n.scale)}
	case n.meaning == meansUUID && len(one) == 16:
		return value{text: fmt.Sprintf("%x-%x-%x-%x-%x", one[:4], one[4:6], one[6:8], one[8:10], one[10:]), isWord: true}
	case n.meaning == meansHalf && len(one) == 2:
		return number(half(binary.LittleEndian.Uint16(one)), 32)
	case n.meaning == meansInterval && len(one) == 12:
		part := func(at int) uint32 { return binary.LittleEndian.Uint32(one[at:]) }
		return value{text: fmt.Sprintf("%d months %d days %g s", part(0), part(4), float64(part(8))/1000), isWord: true}
	}
	kept := one[:min(len(one), longestText)]
	if len(kept) < len(one) {
		for len(kept) > longestText-utf8.UTFMax && !utf8.RuneStart(one[len(kept)]) {
			kept = kept[:len(kept)-1]
		}
	}
	text := string(kept)
	if n.meaning == meansText || utf8.ValidString(text) && strings.IndexFunc(text, isControl) < 0 {
		return value{text: strings.ToValidUTF8(text, "\ufffd"), isWord: true}
	}
	return value{text: "0x" + hex.EncodeToString(kept), isWord: true}
}

func isControl(letter rune) bool { return unicode.IsControl(letter) && !unicode.IsSpace(letter) }

// decimal returns an integer with this many digits behind the point.
func decimal(unscaled *big.Int, scale int) string {
	if scale <= 0 || scale > 2*longestText {
		return unscaled.String()
	}
	digits := new(big.Int).Abs(unscaled).String()
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	text := string(slices.Concat([]byte(digits[:len(digits)-scale]), []byte("."), []byte(digits[len(digits)-scale:])))
	if unscaled.Sign() < 0 {
		return "-" + text
	}
	return text
}

// half returns the value of a float of 16 bits.
func half(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&31), float64(bits&1023)
	if bits&0x8000 != 0 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	default:
		return sign * math.Ldexp(1024+fraction, exponent-25)
	}
}
