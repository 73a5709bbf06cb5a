package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"cairn/internal/fault"
	"cairn/internal/humanize"
	"cairn/internal/sessions"
	"cairn/internal/sessions/warm"
	"cairn/internal/sqldb"
)

// memoryPerSession is the memory counted per session unless sessions.capacity is set.
const memoryPerSession = 512 << 20

// sessionFaults returns what is wrong with the durations and numbers of sessions.
func (c SessionsConfig) sessionFaults() []string {
	var faults []string
	times := map[string]time.Duration{}
	for key, text := range map[string]string{"idle": c.Idle, "open_idle": c.OpenIdle, "keep": c.Keep, "undelete": c.Undelete, "cookie_life": c.CookieLife} {
		length, err := parseTime(text)
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
func (c SessionsConfig) warmFaults() []string {
	var faults []string
	total, taken := 0, map[string]bool{}
	for _, one := range c.Warm {
		switch {
		case !sqldb.IsID(one.Entry):
			faults = append(faults, "sessions.warm: "+humanize.Quote(one.Entry)+" must be the id of an entry or a project, as in the address of its page")
		case taken[one.Entry]:
			faults = append(faults, "sessions.warm: "+one.Entry+" is listed twice; set its count instead")
		case one.Count < 1:
			faults = append(faults, "sessions.warm: the count of "+one.Entry+" must be at least 1")
		}
		taken[one.Entry] = true
		total += max(0, one.Count)
	}
	if len(c.Warm) > 0 && !slices.ContainsFunc(c.Engines, func(one EngineConfig) bool { return one.Kind == localKind }) {
		faults = append(faults, "sessions.warm: needs an engine of kind local")
	}
	if capacity := c.totalCapacity(); total > capacity {
		faults = append(faults, fmt.Sprintf("sessions.warm: %d sessions together are more than sessions.capacity, which is %d here", total, capacity))
	}
	return faults
}

func (c SessionsConfig) warmWants() []warm.Want {
	var wants []warm.Want
	for _, one := range c.Warm {
		wants = append(wants, warm.Want(one))
	}
	return wants
}

// parseTime parses a Go duration, or a whole number of days such as 30d or of years (of 365 days) such as 1y; "never" and ""
// are 0.
func parseTime(text string) (time.Duration, error) {
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

// mustTime is parseTime for a text that Check has accepted.
func mustTime(text string) time.Duration {
	length, _ := parseTime(text)
	return length
}

func (c SessionsConfig) idleLimits() sessions.IdleLimits {
	return sessions.IdleLimits{Closed: mustTime(c.Idle), Open: mustTime(c.OpenIdle)}
}

// totalCapacity returns how many sessions this machine runs at once.
func (c SessionsConfig) totalCapacity() int {
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

// ListSessions prints a table of everybody's sessions, newest first: those that run or start, or all.
func ListSessions(ctx context.Context, config Config, all bool, out io.Writer) error {
	return withDatabase(ctx, config, func(db *sqldb.DB) error {
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		unclaimed, err := warm.NewStore(db).All(ctx)
		if err != nil {
			return err
		}
		for _, one := range unclaimed {
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", one.ID, "-", one.Engine, one.Phase, one.CreatedAt.Format(time.DateTime), "kept warm: "+one.Name)
		}
		const size = 500
		for offset := 0; ; offset += size {
			found, _, err := sessions.NewStore(db).All(ctx, sessions.AllQuery{Live: !all, Offset: offset, Size: size})
			if err != nil {
				return err
			}
			for _, session := range found {
				_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", session.ID, session.UserID, session.Engine, session.Status,
					session.CreatedAt.Format(time.DateTime), session.StatusReason)
			}
			if len(found) < size {
				return table.Flush()
			}
		}
	})
}

// StopSessions requests that sessions be stopped, as the operators' call does, for a reason that their owners read; "": for none
// that is told. A running server, or the next one, stops them and keeps their work. What can't be stopped hinders no other.
func StopSessions(ctx context.Context, config Config, ids []string, reason string, out io.Writer) error {
	told := sessions.StoppedByOperators + "."
	if reason != "" {
		var err error
		if told, err = sessions.CheckReason(reason); err != nil {
			return err
		}
	}
	return withDatabase(ctx, config, func(db *sqldb.DB) error {
		var failed []string
		var first error
		for _, id := range ids {
			session, err := sessions.NewStore(db).RequestStop(ctx, id, told)
			if err != nil {
				failed, first = append(failed, id+": "+fault.MessageOf(err)), cmp.Or(first, err)
				continue
			}
			state := "has ended before: " + string(session.Status)
			if session.RequestedStatus != "" {
				state = "is being stopped"
			}
			if _, err := fmt.Fprintf(out, "%s of %s %s\n", session.ID, session.UserID, state); err != nil {
				return err
			}
		}
		if first == nil {
			return nil
		}
		return fault.Wrap(first, fault.CodeOf(first), "%s", strings.Join(failed, "\n"))
	})
}

// PurgeSessions deletes sessions that ended longer ago than sessions.keep, with their work, and prints them. Where their engine
// keeps versions, they can still be undeleted for sessions.undelete. It only records the deletion; the running server, or the
// next one, removes the work. A dry run only prints.
func PurgeSessions(ctx context.Context, config Config, dryRun bool, out io.Writer) error {
	if err := configFault(config.Sessions.sessionFaults()); err != nil {
		return err
	}
	keep := mustTime(config.Sessions.Keep)
	if keep == 0 {
		return fault.New(fault.Invalid, "sessions.keep is not set, so the work of sessions is kept forever. Set it (sessions.keep: 90d): "+
			"people are then told on each card until when their work is kept, and afterwards it can be purged.")
	}
	return withDatabase(ctx, config, func(db *sqldb.DB) error {
		old, err := sessions.NewStore(db).Expired(ctx, time.Now().Add(-keep), dryRun)
		for _, session := range old {
			_, _ = fmt.Fprintf(out, "%s  %s  ended %s  %q\n", session.ID, session.UserID, session.UpdatedAt.Format(time.DateOnly), session.SessionName)
		}
		verb := "to be removed"
		if dryRun {
			verb = "would be removed"
		}
		_, _ = fmt.Fprintf(out, "%d sessions %s\n", len(old), verb)
		return err
	})
}
