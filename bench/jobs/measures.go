package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
)

// silence is what kernels that say nothing cost the process of the broker.
type silence struct {
	core  float64 // percent of one
	pages float64 // likewise, while each kernel has a page
	each  int64   // bytes of memory for each kernel
}

// measureSilence has kernels execute something that takes long and prints nothing, first after their pages have left, then with a page on
// each.
func (o options) measureSilence(ctx context.Context, b *box) (found silence, err error) {
	before := b.resident()
	name := func(number int) string { return fmt.Sprint("kernel-", number) }
	for number := range o.kernels {
		p, err := open(ctx, b.broker, name(number))
		if err != nil {
			return found, err
		}
		err = p.begin(ctx, silentCode)
		p.close()
		if err != nil {
			return found, err
		}
	}
	// Half a minute after the page has left, each notebook gets what was printed so far.
	written, err := load.Wait(ctx, 5*time.Minute, 100*time.Millisecond, func() (bool, error) {
		saves, err := b.number(ctx, "saves")
		return saves >= int64(o.kernels), err
	})
	if err == nil && !written {
		err = errors.New("the notebooks aren't written")
	}
	if err != nil {
		return found, err
	}
	found.core = b.coreFor(ctx, o.silence)
	found.each = (b.resident() - before) / int64(o.kernels)
	for number := range o.kernels {
		p, err := open(ctx, b.broker, name(number))
		if err != nil {
			return found, err
		}
		defer p.close()
		go func() { _, _ = p.read(ctx, time.Hour) }() // and answers pings
	}
	found.pages = b.coreFor(ctx, o.silence)
	return found, ctx.Err()
}

// coreFor returns how many percent of a core the session's server uses for a time.
func (b *box) coreFor(ctx context.Context, length time.Duration) float64 {
	before, began := b.processor(), time.Now()
	load.Pause(ctx, length)
	return 100 * (b.processor() - before).Seconds() / time.Since(began).Seconds()
}

// memory is what a kernel that prints without end takes in the process of the broker, without a page.
type memory struct {
	least [eighths]int64 // the fewest bytes during each eighth of the output
	most  int64          // the most bytes of all: garbage that isn't collected yet, and a notebook that is being written
	kept  int64          // bytes of outputs that a page is told of afterwards
	says  bool           // and that outputs were left out, as the notebook's file does, too
}

const eighths = 8

// measureMemory has a kernel print until a page comes back to it.
func (o options) measureMemory(ctx context.Context, b *box, code string) (found memory, err error) {
	const kernel = "kernel-memory"
	p, err := open(ctx, b.broker, kernel)
	if err != nil {
		return found, err
	}
	err = p.begin(ctx, code)
	p.close()
	if err != nil {
		return found, err
	}
	before, last := int64(0), time.Now()
	_, err = load.Wait(ctx, time.Hour, 20*time.Millisecond, func() (bool, error) {
		printed, err := b.number(ctx, "printed/"+kernel)
		switch {
		case err != nil:
			return false, err
		case printed > before:
			before, last = printed, time.Now()
		case time.Since(last) > time.Minute:
			return false, errors.New("the kernel can't print any more")
		}
		now, least := b.resident(), &found.least[min(printed*eighths/o.output, eighths-1)]
		if *least == 0 || now < *least {
			*least = now
		}
		found.most = max(found.most, now)
		return printed >= o.output, nil
	})
	if err != nil {
		return found, err
	}
	if p, err = open(ctx, b.broker, kernel); err != nil {
		return found, err
	}
	defer p.close()
	found.kept, found.says, err = p.attach(ctx)
	if err != nil {
		return found, err
	}
	if err := b.interrupt(ctx, kernel); err != nil {
		return found, err
	}
	if err := p.await(ctx, func(m message) bool { return m.Header.Type == "execute_reply" }); err != nil {
		return found, err
	}
	p.close()
	return found, b.awaitNote(ctx, kernel)
}

// awaitNote waits until a kernel's notebook says that outputs were left out.
func (b *box) awaitNote(ctx context.Context, kernel string) error {
	there, err := load.Wait(ctx, time.Minute, 100*time.Millisecond, func() (bool, error) {
		text, err := b.file(ctx, kernel)
		return strings.Contains(text, leftOut), err
	})
	if err == nil && !there {
		err = errors.New("the notebook doesn't say that outputs were left out")
	}
	return err
}

// speed is how fast a kernel can print.
type speed struct {
	taken float64 // MB/s that the kernel gets rid of
	shown float64 // MB/s that the page gets
	notes int     // how often the page is told that something was left out
	ended int     // how often the page was disconnected
	peak  int64   // the most bytes of memory of the process of the broker
}

// measureSpeed has a kernel print for a page that reads, or for nobody.
func (o options) measureSpeed(ctx context.Context, b *box, way program.Way, kernel, code string, reads bool) (found speed, err error) {
	p, err := open(ctx, way, kernel)
	if err != nil {
		return found, err
	}
	defer p.close()
	if err := p.begin(ctx, code); err != nil {
		return found, err
	}
	if !reads {
		p.close()
	}
	before, err := b.number(ctx, "printed/"+kernel)
	if err != nil {
		return found, err
	}
	began := time.Now()
	if reads {
		read, err := p.read(ctx, o.stream)
		if err != nil {
			return found, err
		}
		found.shown, found.notes = float64(read.bytes)/1e6/time.Since(began).Seconds(), read.notes
		if read.ended {
			found.ended = 1
		}
	} else {
		load.Pause(ctx, o.stream)
	}
	took := time.Since(began).Seconds()
	after, err := b.number(ctx, "printed/"+kernel)
	found.taken, found.peak = float64(after-before)/1e6/took, b.peak()
	return found, errors.Join(err, ctx.Err(), b.interrupt(ctx, kernel))
}

// measureTrips returns how long small executions take in each way, in turns.
func (o options) measureTrips(ctx context.Context, b *box) (broker, direct []time.Duration, err error) {
	const rounds = 10
	for range rounds {
		for _, one := range []struct {
			way    program.Way
			kernel string
			times  *[]time.Duration
		}{{b.broker, "kernel-broker", &broker}, {b.direct, "kernel-direct", &direct}} {
			p, err := open(ctx, one.way, one.kernel)
			if err != nil {
				return nil, nil, err
			}
			defer p.close()
			for number := range o.trips/rounds + 1 {
				took, err := p.trip(ctx)
				if err != nil {
					return nil, nil, err
				}
				if number > 0 { // the first one connects to the kernel
					*one.times = append(*one.times, took)
				}
			}
			p.close()
		}
	}
	return broker, direct, nil
}
