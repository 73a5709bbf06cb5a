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

function term({ what, why }) {
  return [['dt', what], ['dd', why]].map(([name, text]) => {
    const part = document.createElement(name)
    part.textContent = text
    return part
  })
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

// The log: its cause is marked and in sight, and lines that say nothing about it are folded.
let shownLog = ''
function showLog(parts) {
  const content = JSON.stringify(parts)
  if (content === shownLog) return
  shownLog = content
  const log = element('log-text')
  log.replaceChildren(
    ...parts.map(({ kind, text, size }) => {
      if (kind === 'plain') return document.createTextNode(text)
      const part = document.createElement(kind === 'marked' ? 'mark' : 'details')
      if (kind === 'folded') {
        const summary = document.createElement('summary')
        summary.textContent = `${size} more lines`
        part.append(summary)
      }
      part.append(text)
      return part
    }),
  )
  bringIntoSight()
}

function bringIntoSight() {
  const log = element('log-text')
  const mark = log.querySelector('mark')
  if (mark) log.scrollTop = mark.offsetTop - log.clientHeight / 3
}

function showCause(cause) {
  element('cause').hidden = !cause
  setText('fix', cause?.fix ?? '')
  setText('who', cause?.who ?? '')
  element('do').hidden = !cause?.address
  setText('do', cause?.address ? cause.label : '')
  if (cause?.address) Object.assign(element('do'), { href: cause.address, target: '_blank', rel: 'noopener' })
  element('copy').hidden = !cause?.message
  setText('copy', cause?.message ? (copied ? 'Copied' : cause.label) : '')
}

let copied = false
element('copy').addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText(state.cause.message)
    copied = true
    setText('copy', 'Copied')
  } catch {
    // There is no clipboard without https, except on this computer's own addresses.
    prompt('Copy this message:', state.cause.message)
  }
})

function show(next) {
  const failedNow = next.status === 'ERROR' && document.body.dataset.status !== 'ERROR'
  if (failedNow) copied = false
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
  showCause(state.cause)
  element('log').hidden = state.log.length === 0
  element('left').hidden = !state.leftOutHead
  setText('left-head', state.leftOutHead)
  element('left-list').replaceChildren(...(state.leftOut ?? []).flatMap(term))
  if (failedNow) element('log').open = true
  showLog(state.log)
  tick()
  if (state.next) {
    events.close()
    location.replace(state.next)
  }
}

const soonest = 1_000 // milliseconds until the first try after a lost connection, and
const longest = 30_000 // between later ones; up to twice as long, so that not all pages come back at once
let pause = soonest
let events

function listen() {
  events = new EventSource(document.body.dataset.events)
  events.onmessage = (event) => {
    pause = soonest
    show(JSON.parse(event.data))
  }
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) comeBack()
  }
}

// Browsers connect again by themselves unless the answer is an error, such as that of a proxy while the server restarts.
async function comeBack() {
  setText('headline', 'The connection was lost. This page tries again automatically.')
  await new Promise((resolve) => setTimeout(resolve, pause * (1 + Math.random())))
  pause = Math.min(2 * pause, longest)
  const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store', redirect: 'manual' }).catch(() => undefined)
  if (!answer || answer.status >= 500) comeBack()
  else if (answer.status >= 400) location.reload() // the page says why
  else listen()
}

listen()
for (const form of document.forms) {
  form.addEventListener('submit', () => {
    for (const button of document.querySelectorAll('button')) button.disabled = true // a double click is one wish
  })
}
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('button')) button.disabled = false
})
setInterval(tick, 100)
