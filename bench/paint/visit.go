package paint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// The slow machine with the slow line.
const (
	slowdown  = 4
	latency   = 150       // milliseconds
	bandwidth = 1.6e6 / 8 // bytes per second
	visitTime = time.Minute
)

// figures are the times of one visit, in milliseconds.
type figures struct {
	FirstPaint   float64 `json:"firstPaint"`   // until anything is visible
	LargestPaint float64 `json:"largestPaint"` // until the largest part, such as the cards, is visible
	LongTask     float64 `json:"longTask"`     // the longest time in which the page doesn't react
}

// observe records in a page what figures need.
const observe = `
	const seen = { firstPaint: 0, largestPaint: 0, longTask: 0 };
	const watch = (type, note) => new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
	watch("paint", ({ name, startTime }) => { if (name === "first-contentful-paint") seen.firstPaint = startTime; });
	watch("largest-contentful-paint", ({ startTime }) => { seen.largestPaint = startTime; });
	watch("longtask", ({ duration }) => { seen.longTask = Math.max(seen.longTask, duration); });
	window.seen = seen;`

// settled waits for the page's final content, and for its paint.
const settled = `new Promise((resolve) => {
	const look = () => {
		if (document.querySelector(%q) === null) requestAnimationFrame(look);
		else requestAnimationFrame(() => requestAnimationFrame(resolve));
	};
	look();
})`

// visit opens a page as a first-time visitor with an empty cache, and waits until it has loaded everything. content
// selects the final content.
func (b *browser) visit(ctx context.Context, address, content string) (found figures, err error) {
	ctx, cancel := context.WithTimeout(ctx, visitTime)
	defer cancel()
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", address, err)
		}
	}()
	var visitor struct {
		ID string `json:"browserContextId"`
	}
	if err := b.call(ctx, "", "Target.createBrowserContext", object{}, &visitor); err != nil {
		return found, err
	}
	defer func() {
		// The visit may have run out of time; the browser must close it anyway.
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), visitTime)
		defer cancel()
		err = errors.Join(err, b.call(last, "", "Target.disposeBrowserContext", object{"browserContextId": visitor.ID}, nil))
	}()
	var page struct {
		ID string `json:"targetId"`
	}
	size := object{"url": "about:blank", "browserContextId": visitor.ID, "width": 1280, "height": 800}
	if err := b.call(ctx, "", "Target.createTarget", size, &page); err != nil {
		return found, err
	}
	var session struct {
		ID string `json:"sessionId"`
	}
	if err := b.call(ctx, "", "Target.attachToTarget", object{"targetId": page.ID, "flatten": true}, &session); err != nil {
		return found, err
	}
	events := make(chan message, 1000)
	b.mutex.Lock()
	b.events[session.ID] = events
	b.mutex.Unlock()
	defer func() {
		b.mutex.Lock()
		delete(b.events, session.ID)
		b.mutex.Unlock()
	}()
	line := object{"offline": false, "latency": latency, "downloadThroughput": bandwidth, "uploadThroughput": bandwidth}
	var navigated struct {
		Loader string `json:"loaderId"`
		Error  string `json:"errorText"`
	}
	for _, step := range []struct {
		method string
		params object
		result any
	}{
		{"Page.enable", object{}, nil},
		{"Page.setLifecycleEventsEnabled", object{"enabled": true}, nil},
		{"Page.addScriptToEvaluateOnNewDocument", object{"source": observe}, nil},
		{"Network.enable", object{}, nil},
		{"Network.emulateNetworkConditions", line, nil},
		{"Emulation.setCPUThrottlingRate", object{"rate": slowdown}, nil},
		{"Page.navigate", object{"url": address}, &navigated},
	} {
		if err := b.call(ctx, session.ID, step.method, step.params, step.result); err != nil {
			return found, err
		}
	}
	if navigated.Error != "" {
		return found, errors.New(navigated.Error)
	}
	if err := b.evaluate(ctx, session.ID, fmt.Sprintf(settled, content), nil); err != nil {
		return found, err
	}
	if err := idle(ctx, events, navigated.Loader); err != nil {
		return found, err
	}
	err = b.evaluate(ctx, session.ID, "window.seen", &found)
	if err == nil && (found.FirstPaint == 0 || found.LargestPaint == 0) {
		err = fmt.Errorf("the browser says of it only %+v", found)
	}
	return found, err
}

type object = map[string]any

// evaluate runs an expression in a page and decodes its value.
func (b *browser) evaluate(ctx context.Context, session, expression string, value any) error {
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	params := object{"expression": expression, "awaitPromise": true, "returnByValue": true}
	if err := b.call(ctx, session, "Runtime.evaluate", params, &answer); err != nil {
		return err
	}
	if answer.Exception != nil {
		return errors.New(answer.Exception.Text)
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(answer.Result.Value, value)
}

// idle waits until a document hasn't sent a request for half a second.
func idle(ctx context.Context, events <-chan message, loader string) error {
	for {
		select {
		case event := <-events:
			var params struct {
				Name   string `json:"name"`
				Loader string `json:"loaderId"`
			}
			if event.Method == "Page.lifecycleEvent" && json.Unmarshal(event.Params, &params) == nil &&
				params.Name == "networkIdle" && params.Loader == loader {
				return nil
			}
		case <-ctx.Done():
			return fmt.Errorf("it went on loading: %w", ctx.Err())
		}
	}
}
