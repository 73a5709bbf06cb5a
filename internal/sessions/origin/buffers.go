package origin

import "sync"

// bufferPool reuses the buffers for copying answers, which would otherwise be most of a request's garbage.
type bufferPool struct{ sync.Pool }

func (p *bufferPool) Get() []byte {
	if lent, ok := p.Pool.Get().(*[copySize]byte); ok {
		return lent[:]
	}
	return make([]byte, copySize)
}

func (p *bufferPool) Put(buffer []byte) { p.Pool.Put((*[copySize]byte)(buffer)) }

const copySize = 32 << 10 // bytes, as in httputil
