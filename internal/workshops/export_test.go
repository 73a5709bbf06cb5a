package workshops

// WaitForHandOuts waits until nothing is being handed out by this server.
func (s *Service) WaitForHandOuts() { s.handing.wait() }
