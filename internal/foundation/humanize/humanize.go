// Package humanize writes values as people read them: durations, sizes, names, quotes, and what the system says of a failure.
package humanize

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Duration returns a duration in the largest unit of which it has a whole number, such as "2 hours" or "90 minutes". Parts of a
// second are written with at most three digits: "1.5 seconds".
func Duration(length time.Duration) string {
	for _, unit := range []struct {
		name   string
		length time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if length >= unit.length && length%unit.length == 0 {
			return count(strconv.FormatInt(int64(length/unit.length), 10), unit.name)
		}
	}
	if length%time.Second == 0 {
		return count(strconv.FormatInt(int64(length/time.Second), 10), "second")
	}
	return count(strconv.FormatFloat(length.Seconds(), 'g', 3, 64), "second")
}

func count(number, unit string) string {
	if number == "1" {
		return number + " " + unit
	}
	return number + " " + unit + "s"
}

// FileName returns the name that a download gets for the name of something, without what file systems refuse and of at most
// 80 characters. It is fallback if nothing of the name is left.
func FileName(name, fallback string) string {
	name = strings.NewReplacer("/", "-", "\\", "-", ":", "-").Replace(name)
	if runes := []rune(name); len(runes) > 80 {
		name = string(runes[:80])
	}
	if name = strings.Trim(name, " ."); name == "" {
		return fallback
	}
	return name
}

// Host returns the host of an address with its port, if the address names one; "" for what isn't an address.
func Host(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Host
}

// HostName returns the host of an address without a port; "" for what isn't an address.
func HostName(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Hostname()
}

// Quote puts a text into quotation marks, whole and unchanged. For what strangers sent, fault.Quote is the one to use.
func Quote(text string) string { return "\"" + text + "\"" }

// OneLine returns a text with single spaces instead of line breaks and other white space.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Reason returns what the operating system says of a failure, without the path, which the sentence around it names.
func Reason(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	return err.Error()
}
