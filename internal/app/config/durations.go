package config

import (
	"strconv"
	"strings"
	"time"
)

// ParseDuration parses a Go duration, or a whole number of days such as 30d or of years (of 365 days) such as 1y; "never" and ""
// are 0.
func ParseDuration(text string) (time.Duration, error) {
	if text == "" || text == "never" {
		return 0, nil
	}
	if days, found := strings.CutSuffix(text, "d"); found {
		count, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(count) * 24 * time.Hour, err
	}
	if years, found := strings.CutSuffix(text, "y"); found {
		count, err := strconv.ParseUint(years, 10, 7) // more would exceed a duration
		return time.Duration(count) * 365 * 24 * time.Hour, err
	}
	length, err := time.ParseDuration(text)
	if err == nil && length <= 0 {
		err = strconv.ErrRange
	}
	if err != nil {
		return 0, err
	}
	return length, nil
}

// Duration is parseTime for a text that Check has accepted.
func Duration(text string) time.Duration {
	length, _ := ParseDuration(text)
	return length
}
