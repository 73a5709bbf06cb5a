package identity

// CallerOf returns the caller that a seen account makes.
func (s *Service) CallerOf(account Account) Caller { return s.caller(account) }
