package safehttp

import "context"

type offlineKey struct{}

// Offline returns a context in which questions to other servers are answered from what this server has of them, or not
// at all. Who keeps answers of other servers asks IsOffline; a Client doesn't.
func Offline(ctx context.Context) context.Context { return context.WithValue(ctx, offlineKey{}, true) }

// IsOffline reports whether a context comes from Offline.
func IsOffline(ctx context.Context) bool { return ctx.Value(offlineKey{}) != nil }
