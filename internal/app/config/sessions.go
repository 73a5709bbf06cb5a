package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions/reconcile"
	"cairn/internal/sessions/warm"
)

// SessionsFolder returns the folder of sessions for the level of isolation at which their accounts enter it.
func (c Config) SessionsFolder() string {
	if c.Sessions.Folder != "" {
		return filepath.Clean(c.Sessions.Folder)
	}
	return filepath.Clean(c.Data) + "-sessions"
}

// sessionsFolderFaults returns what is wrong with sessions.folder.
func (c Config) sessionsFolderFaults() []string {
	folder := c.Sessions.Folder
	if folder == "" {
		return nil
	}
	const key = "sessions.folder: "
	if !filepath.IsAbs(folder) {
		return []string{key + humanize.Quote(folder) + " must be the absolute path of a folder"}
	}
	if data, err := filepath.Abs(c.Data); err == nil && strings.HasPrefix(filepath.Clean(folder)+"/", data+"/") {
		return []string{key + humanize.Quote(folder) + " must be outside the data folder, which only this server may enter"}
	}
	for above := filepath.Dir(filepath.Clean(folder)); above != "/"; above = filepath.Dir(above) {
		if about, err := os.Stat(above); err == nil && (!about.IsDir() || about.Mode().Perm()&0o001 == 0) {
			return []string{key + humanize.Quote(folder) + ": the accounts of sessions can't enter " + above + "; choose a folder whose parents everyone " +
				"may enter, such as /var/lib/cairn-sessions"}
		}
	}
	return nil
}

// memoryPerSession is the memory counted per session unless sessions.capacity is set.
const memoryPerSession = 512 << 20

// SessionFaults returns what is wrong with the durations and numbers of sessions.
func (c Sessions) SessionFaults() []string {
	var faults []string
	times := map[string]time.Duration{}
	for key, text := range map[string]string{"idle": c.Idle, "open_idle": c.OpenIdle, "keep": c.Keep, "undelete": c.Undelete, "cookie_life": c.CookieLife} {
		length, err := ParseDuration(text)
		if err != nil {
			faults = append(faults, "sessions."+key+": "+humanize.Quote(text)+" must be a time such as 90m, 8h or 30d, or never")
		}
		times[key] = length
	}
	if idle := times["idle"]; idle != 0 && idle < time.Minute {
		faults = append(faults, "sessions.idle: must be at least a minute")
	}
	if idle, open := times["idle"], times["open_idle"]; open != 0 && (open < idle || (idle == 0 && open < time.Minute)) {
		faults = append(faults, "sessions.open_idle: must be at least as long as sessions.idle: an open tab isn't a reason to stop a session sooner")
	}
	if keep := times["keep"]; keep != 0 && keep < 24*time.Hour {
		faults = append(faults, "sessions.keep: must be at least a day: people need time to fetch their work")
	}
	if undelete := times["undelete"]; undelete != 0 && undelete < time.Hour {
		faults = append(faults, "sessions.undelete: must be at least an hour: people need time to notice what they deleted")
	}
	if life := times["cookie_life"]; life != 0 && life < time.Hour {
		faults = append(faults, "sessions.cookie_life: must be at least an hour, because most providers renew tokens that often")
	}
	if c.Capacity < 0 {
		faults = append(faults, "sessions.capacity: must be at least 1, or 0 for one session per 512 MiB of memory")
	}
	return append(faults, c.warmFaults()...)
}

// warmFaults returns what is wrong with the sessions that are kept warm.
func (c Sessions) warmFaults() []string {
	var faults []string
	type place struct{ entry, engine string }
	total, taken := 0, map[place]bool{}
	for _, one := range c.Warm {
		at := slices.IndexFunc(c.Engines, func(other Engine) bool { return one.Engine == "" || one.Engine == other.Name })
		if at < 0 {
			faults = append(faults, "sessions.warm: there is no engine "+humanize.Quote(one.Engine)+"; leave it out to use the first one")
			continue
		}
		here := place{one.Entry, c.Engines[at].Name}
		switch {
		case !sqldb.IsID(one.Entry):
			faults = append(faults, "sessions.warm: "+humanize.Quote(one.Entry)+" must be the id of an entry or a project, as in the address of its page")
		case taken[here]:
			faults = append(faults, "sessions.warm: "+one.Entry+" is listed twice for one engine; set its count instead")
		case one.Count < 1:
			faults = append(faults, "sessions.warm: the count of "+one.Entry+" must be at least 1")
		}
		taken[here] = true
		if c.Engines[at].Kind == LocalKind {
			total += max(0, one.Count)
		}
	}
	if capacity := c.TotalCapacity(); total > capacity {
		faults = append(faults, fmt.Sprintf("sessions.warm: %d sessions together are more than sessions.capacity, which is %d here", total, capacity))
	}
	return faults
}

// WarmWants returns the sessions that are kept warm, from a valid configuration.
func (c Sessions) WarmWants() []warm.Want {
	var wants []warm.Want
	for _, one := range c.Warm {
		wants = append(wants, warm.Want(one))
	}
	return wants
}

// IdleLimits returns after which idle times sessions are stopped, from a valid configuration.
func (c Sessions) IdleLimits() reconcile.IdleLimits {
	return reconcile.IdleLimits{Closed: Duration(c.Idle), Open: Duration(c.OpenIdle)}
}

// TotalCapacity returns how many sessions this machine runs at once.
func (c Sessions) TotalCapacity() int {
	if c.Capacity > 0 {
		return c.Capacity
	}
	return max(1, int(memoryOf("/")/memoryPerSession))
}

// memoryOf returns the bytes of memory that this process may use: the machine's, or the limit of a control group. root
// is the root of the file system.
func memoryOf(root string) int64 {
	read := func(path string) string {
		content, _ := os.ReadFile(filepath.Join(root, path))
		return string(content)
	}
	memory := int64(memoryPerSession)
	for line := range strings.Lines(read("proc/meminfo")) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == "MemTotal:" {
			kilobytes, _ := strconv.ParseInt(fields[1], 10, 64)
			memory = kilobytes << 10
		}
	}
	for _, path := range []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if limit, err := strconv.ParseInt(strings.TrimSpace(read(path)), 10, 64); err == nil && limit > 0 {
			memory = min(memory, limit)
		}
	}
	return memory
}
