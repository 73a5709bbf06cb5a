// Shows a session starting: draws the state that the server streams and opens the session when it runs.
const element = (id) => document.getElementById(id)
const headlines = {
  CREATED: 'The session is starting. It opens here by itself.',
  RUNNING: 'Ready. Opening it now.',
  FINISHED: 'The session has ended. Its work is kept.',
  TERMINATED: 'The session was terminated. Its work is kept.',
  ERROR: 'The session could not go on. Its work is kept.',
}
let state = null
let clockDifference = 0 // how far this clock is ahead of the server's, in milliseconds

const seconds = (milliseconds) => `${Math.max(0, milliseconds / 1000).toFixed(1)} s`

function timeOf(step) {
  if (!step.startedAt) return ''
  const end = step.endedAt ? Date.parse(step.endedAt) : Date.now() - clockDifference
  return seconds(end - Date.parse(step.startedAt))
}

function row(step) {
  const item = document.createElement('li')
  item.dataset.state = step.state
  if (step.state === 'active') item.setAttribute('aria-current', 'step')
  for (const [name, text] of [['dot', ''], ['label', step.label], ['time', timeOf(step)], ['detail', step.detail]]) {
    const part = document.createElement('span')
    part.className = name
    part.textContent = text
    item.append(part)
  }
  return item
}

function tick() {
  if (!state) return
  const items = element('steps').children
  state.steps.forEach((step, index) => {
    if (step.state === 'active') items[index].querySelector('.time').textContent = timeOf(step)
  })
}

function show(next) {
  state = next
  clockDifference = Date.now() - Date.parse(state.serverTime)
  let headline = state.stopping ? 'The session is being stopped.' : headlines[state.status]
  if (!state.stopping && state.reason) headline = `${headline} ${state.reason}`
  if (element('headline').textContent !== headline) element('headline').textContent = headline
  element('steps').replaceChildren(...state.steps.map(row))
  const ended = !['CREATED', 'RUNNING'].includes(state.status)
  element('reopen').hidden = !ended
  element('log').hidden = !state.log
  element('log').querySelector('pre').textContent = state.log
  if (state.status === 'ERROR') element('log').open = true
  document.title = state.status === 'CREATED' ? `Starting: ${state.name}` : state.name
  if (state.next && !state.stopping) {
    events.close()
    location.replace(state.next)
  }
}

const events = new EventSource(document.body.dataset.events)
events.onmessage = (event) => show(JSON.parse(event.data))
events.onerror = () => {
  if (events.readyState === EventSource.CLOSED) {
    element('headline').textContent = 'The connection was lost. Load this page again to see how far the session is.'
  }
}
setInterval(tick, 100)
