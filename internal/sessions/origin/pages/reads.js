// Runs in the pages of Jupyter's applications before their own scripts. It notes when each file was read, by the server's clock,
// and sends that along when the file is saved: a page that shows a file as it was before a version was restored in its place
// can't save it over that version.
;(() => {
  const header = 'X-Cairn-Read'
  const keptHeader = 'X-Cairn-Kept'
  const script = document.currentScript
  const loaded = script?.dataset.loaded ?? '0'
  const reads = new Map() // by the path of the file in the address
  globalThis.cairnReads = { reads, loaded }

  /** The path of the file that a request reads or writes, as in its address; undefined for any other request. */
  function fileOf(method, address) {
    const { origin, pathname, searchParams } = new URL(address, location.href)
    const [, path] = pathname.match(/\/api\/contents\/(.+?)\/?$/) ?? []
    if (origin !== location.origin || path === undefined || /\/checkpoints(\/[^/]*)?$/.test(path)) return undefined
    if (method === 'GET' && searchParams.get('content') === '0') return undefined // it asks for the date alone
    return ['GET', 'PUT', 'PATCH'].includes(method) ? path : undefined
  }

  function note(path, at, kept) {
    if (path !== undefined && at) reads.set(path, at)
    if (kept) dispatchEvent(new CustomEvent('cairn-kept', { detail: kept })) // somebody else's version, of a file that two people save
  }

  const { open, send } = XMLHttpRequest.prototype
  const opened = new WeakMap()
  XMLHttpRequest.prototype.open = function (method, address, ...rest) {
    opened.set(this, { method: String(method).toUpperCase(), address: String(address) })
    return open.call(this, method, address, ...rest)
  }
  XMLHttpRequest.prototype.send = function (body) {
    const { method, address } = opened.get(this) ?? {}
    const path = method && fileOf(method, address)
    if (path !== undefined) {
      if (method !== 'GET') this.setRequestHeader(header, reads.get(path) ?? loaded)
      this.addEventListener('load', () => this.status < 300 && note(path, this.getResponseHeader(header), this.getResponseHeader(keptHeader)))
    }
    return send.call(this, body)
  }

  const plain = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    if (!String(input?.url ?? input).includes('/api/contents/')) return plain.call(globalThis, input, init)
    const request = new Request(input, init)
    const path = fileOf(request.method, request.url)
    if (path !== undefined && request.method !== 'GET') request.headers.set(header, reads.get(path) ?? loaded)
    const answer = await plain.call(globalThis, request)
    if (answer.ok) note(path, answer.headers.get(header), answer.headers.get(keptHeader))
    return answer
  }
})()
