package config

import "time"

// Shutdown says how a server ends.
type Shutdown struct {
	Notice string `yaml:"notice"`
}

// longestNotice is the maximum of shutdown.notice; service managers kill a server that takes long to end.
const longestNotice = 5 * time.Minute

// NoticeTime reads shutdown.notice; it returns false for what isn't a time within the bounds.
func (c Shutdown) NoticeTime() (time.Duration, bool) {
	notice, err := time.ParseDuration(c.Notice)
	return notice, err == nil && notice >= 0 && notice <= longestNotice
}
