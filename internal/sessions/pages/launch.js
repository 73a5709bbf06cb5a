// Shows a session starting: draws the state that the server streams and opens the session when it runs.
const element = (id) => document.getElementById(id)
let state = null
let clockDifference = 0 // how far this clock is ahead of the server's, in milliseconds

const serverNow = () => Date.now() - clockDifference

function duration(milliseconds) {
  const seconds = Math.max(0, milliseconds / 1000)
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
}

function timeOf(step) {
  if (!step.startedAt || step.state === 'waiting') return ''
  const end = step.endedAt ? Date.parse(step.endedAt) : serverNow()
  return duration(end - Date.parse(step.startedAt))
}

function row(step) {
  const item = document.createElement('li')
  item.dataset.state = step.state
  if (step.state === 'active') item.setAttribute('aria-current', 'step')
  for (const [name, text] of [['dot', ''], ['label', step.label], ['time', timeOf(step)], ['usual', step.usual], ['detail', step.detail], ['unseen', step.said]]) {
    const part = document.createElement('span')
    part.className = name
    part.textContent = text
    item.append(part)
  }
  return item
}

function tick() {
  if (!state) return
  element('elapsed').textContent = state.since ? `${duration(serverNow() - Date.parse(state.since))} so far.` : ''
  const items = element('steps').children
  state.steps.forEach((step, index) => {
    if (step.state === 'active') items[index].querySelector('.time').textContent = timeOf(step)
  })
}

function setText(id, text) {
  if (element(id).textContent !== text) element(id).textContent = text
}

function show(next) {
  const failedNow = next.status === 'ERROR' && document.body.dataset.status !== 'ERROR'
  state = next
  clockDifference = Date.now() - Date.parse(state.serverTime)
  document.body.dataset.status = state.status
  document.title = state.status === 'CREATED' ? `Starting: ${state.name}` : state.name
  setText('headline', state.headline)
  setText('state', state.status)
  // Read out: the step that is under way, when it is another.
  setText('now', state.steps.find((step) => step.state === 'active')?.label ?? '')
  setText('usual', state.usual)
  element('steps').replaceChildren(...state.steps.map(row))
  for (const id of ['start', 'without']) {
    setText(id, state[id])
    element(id).hidden = !state[id]
  }
  element('cancel').hidden = !state.cancel
  element('log').hidden = !state.log
  setText('log-text', state.log)
  if (failedNow) element('log').open = true
  tick()
  if (state.next) {
    events.close()
    location.replace(state.next)
  }
}

const events = new EventSource(document.body.dataset.events)
events.onmessage = (event) => show(JSON.parse(event.data))
events.onerror = () => {
  if (events.readyState === EventSource.CLOSED) {
    setText('headline', 'The connection was lost. Load this page again to see how far the session is.')
  }
}
for (const form of document.forms) {
  form.addEventListener('submit', () => {
    for (const button of document.querySelectorAll('button')) button.disabled = true // a double click is one wish
  })
}
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('button')) button.disabled = false
})
setInterval(tick, 100)
