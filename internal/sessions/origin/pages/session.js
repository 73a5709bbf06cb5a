// Runs in the pages of Jupyter's applications and says what they can't know: what the session uses and when it stops, that
// the sign-in is about to end, and that the session has ended. It only asks this server, and has no right that the page
// around it lacks.

const usual = 30_000 // milliseconds between looks while the page is visible
const quick = 2_000 // and while something changes
const longest = 300_000 // and while the server doesn't answer
const lastNotice = 120 // seconds before the end of the sign-in at which the page says so again, to whoever put it off
const stopNotice = 600 // seconds before an idle session stops at which the strip comes back to whoever hid it

/** Whether a page read a file before a version was restored in its place. `reads` has the times by path, as in addresses. */
export function isOutdated(restored = [], reads = new Map()) {
  return restored.some(({ path, at }) =>
    [...reads].some(([file, read]) => (path === '' || file === path || file.startsWith(`${path}/`)) && Number(read) <= at),
  )
}

/** What to show of a state: "" is nothing. `run` is the start of the session that the page belongs to. */
export function viewOf(state, run, reads = globalThis.cairnReads?.reads) {
  switch (state.code) {
    case 'running':
      if (run !== undefined && state.run !== run) return 'other'
      if (isOutdated(state.session?.restored, reads)) return 'restored'
      if (state.signIn === undefined) return '' // the server says so ten minutes before
      return state.signIn > lastNotice ? 'soon' : 'last'
    case 'starting':
    case 'stopping':
    case 'ended':
    case 'sign_in':
    case 'refused':
      return state.code
  }
  return undefined // unavailable: what was shown is still the best that is known
}

/** The path of a page below its session's: the same whatever runs the session, now and after its next start. */
export function pathInside(pathname, id) {
  const [, rest = ''] = pathname.match(`/(?:${id}|s[a-z2-7]{26})/(.*)`) ?? [] // servers on a hub have a shorter name
  try {
    return decodeURIComponent(rest)
  } catch {
    return rest
  }
}

/**
 * Asks for the state again and again while the page is visible, and shows each new view. `ask` returns a state or throws;
 * `hurry` makes it ask soon, and some times more in short steps.
 */
export function follow({ ask, show, hidden, now }) {
  let run
  let view = ''
  let failures = 0
  let hurried = 0
  let asked = Number.NEGATIVE_INFINITY
  let asking = false
  let timer

  function pause() {
    if (failures > 0) return Math.min(usual * 2 ** (failures - 1), longest)
    if (hurried > 0) hurried--
    else if (view !== 'stopping') return usual
    return quick
  }

  async function look() {
    asking = true
    asked = now()
    try {
      const state = await ask()
      const next = viewOf(state, run)
      failures = next === undefined ? failures + 1 : 0
      if (state.code === 'running') run ??= state.run
      if (next !== undefined) {
        const again = next === '' && ['soon', 'last', 'sign_in'].includes(view)
        view = next
        show(again ? 'again' : view, state)
      }
    } catch {
      failures++
    }
    asking = false
    plan(pause())
  }

  function plan(wait) {
    clearTimeout(timer)
    if (!asking && !hidden()) timer = setTimeout(look, wait)
  }

  function hurry() {
    hurried = 3
    failures = 0
    plan(Math.max(0, asked + quick - now()))
  }

  plan(0)
  return { hurry, pause: () => clearTimeout(timer) }
}

/** A size in bytes with a binary unit, as the page writes it: see fileSize in web/src/lib/measures.ts. */
export function sizeOf(bytes) {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
  const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  let [value, unit] = [bytes / 1024, 0]
  while (value >= 1023.5 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1]
  return `${value < 100 ? Math.round(value * 10) / 10 : Math.round(value)} ${units[unit]}`
}

/** How long something takes, for people. */
function span(seconds) {
  const minutes = Math.max(1, Math.floor(seconds / 60))
  if (minutes < 90) return `${minutes} min`
  const hours = Math.round(minutes / 6) / 10
  return `${hours} h`
}

/** What the strip says of a running session. `pressing` names what brings it back to whoever hid it. */
export function stripOf({ stopsIn, mayKeep, warning = '', usage, limits }) {
  const soon = stopsIn !== undefined && stopsIn <= stopNotice
  const meters = [
    ['Memory', usage.memoryBytes, limits.memoryBytes],
    ['Disk', usage.diskBytes, limits.diskBytes],
  ]
  return {
    time: stopsIn === undefined ? '' : `Stops in ${span(stopsIn)}`,
    soon,
    mayKeep,
    warning,
    meters: meters
      .filter(([, used]) => used > 0)
      .map(([label, used, limit = 0]) => ({
        label,
        text: limit > 0 ? `${sizeOf(used)} of ${sizeOf(limit)}` : sizeOf(used),
        part: limit > 0 ? Math.min(used / limit, 1) : undefined,
      })),
    pressing: warning + (soon ? ' stops soon' : ''),
  }
}

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

/** Connects the kernel of a notebook at once: Jupyter waits longer after each try, and gives up after two minutes. */
export function reconnect() {
  const kernel = globalThis.Jupyter?.notebook?.kernel
  if (kernel && !kernel.is_connected()) kernel.reconnect()
}

const collapsed = 'cairn-session-bar' // in the storage of this browser

/** Draws the strip at the top of the page: in the header of Jupyter's classic pages, else above the application. */
function strip(folder) {
  const host = make('cairn-session-strip', { className: 'strip-host' })
  const root = host.attachShadow({ mode: 'open' })
  const style = make('link', { rel: 'stylesheet', href: '/.cairn/assets/session.css' })
  const home = make('a', { className: 'home' })
  const time = make('p', { className: 'time' })
  const keep = make('button', { className: 'small', type: 'button' }, 'Keep going')
  const meters = make('div', { className: 'meters' })
  const help = make('button', { className: 'small', type: 'button', ariaHasPopup: 'dialog', ariaLabel: 'Help with this session' }, '?')
  const hide = make('button', { className: 'small', type: 'button', ariaLabel: 'Hide the session bar' }, '×')
  const sides = make('div', { className: 'sides' }, help, hide)
  const notice = make('p', { className: 'notice' })
  notice.setAttribute('role', 'status')
  const line = make('section', { className: 'strip' }, home, time, keep, meters, sides, notice)
  line.setAttribute('aria-label', 'Session')
  const unfold = make('button', { className: 'unfold', type: 'button' }, 'Session')
  unfold.setAttribute('aria-label', 'Show the session bar')
  unfold.setAttribute('aria-expanded', 'false')
  root.append(style, line, unfold)

  const storage = (use) => {
    try {
      return use(localStorage)
    } catch {
      return null // the browser has none for this page
    }
  }
  let hidden = storage((stored) => stored.getItem(collapsed)) === 'hidden'
  let putAway = ''
  let last
  let said = '' // after a button was pressed, until the next warning

  // Jupyter's own layout makes room for what its header holds; applications without one are moved down.
  const header = document.querySelector('#header')
  const room = new CSSStyleSheet()
  if (!header) document.adoptedStyleSheets.push(room)
  const layOut = () => {
    const height = host.isConnected ? line.offsetHeight : 0
    if (!header) room.replaceSync(height ? `body > #main, .jp-LabShell { top: ${height}px !important; height: calc(100% - ${height}px) !important }` : '')
    dispatchEvent(new Event('resize'))
  }
  new ResizeObserver(layOut).observe(line)

  function draw() {
    const { time: text, soon, mayKeep, warning, meters: used, pressing } = stripOf(last)
    const shown = !hidden || (pressing !== '' && pressing !== putAway)
    line.hidden = !shown
    unfold.hidden = shown
    home.replaceChildren(make('span', { ariaHidden: 'true' }, '‹ '), last.home.name)
    home.href = last.home.url
    home.title = `Back to ${last.home.name}`
    time.replaceChildren(text, text && make('span', { className: 'roomy' }, ' if idle'))
    time.classList.toggle('pressing', soon)
    keep.hidden = !mayKeep
    meters.replaceChildren(...used.map(meter))
    const words = warning || said
    if (notice.textContent !== words) notice.textContent = words // a repeated text would be read out again
    notice.classList.toggle('pressing', warning !== '')
  }

  function meter({ label, text, part }) {
    const measured = make('div', { className: 'meter' }, make('span', {}, `${label} ${text}`))
    if (part !== undefined) {
      const gauge = make('span', { className: 'gauge' }, make('span', {}))
      gauge.firstChild.style.width = `${Math.round(part * 100)}%`
      gauge.classList.toggle('pressing', part >= 0.9)
      measured.append(gauge)
      measured.setAttribute('role', 'meter')
      for (const [name, value] of Object.entries({ label, valuenow: Math.round(part * 100), valuemin: 0, valuemax: 100, valuetext: text })) {
        measured.setAttribute(`aria-${name}`, value)
      }
    }
    return measured
  }

  hide.onclick = () => {
    hidden = true
    putAway = stripOf(last).pressing
    storage((stored) => stored.setItem(collapsed, 'hidden'))
    draw()
    unfold.focus()
  }
  unfold.onclick = () => {
    hidden = false
    storage((stored) => stored.removeItem(collapsed))
    draw()
    hide.focus()
  }
  keep.onclick = async () => {
    said = 'That didn’t work. Try again in a moment.'
    try {
      const answer = await fetch(`${folder}keep`, { method: 'POST', headers: { Accept: 'application/json' } })
      const state = await answer.json()
      if (answer.ok && state.session) {
        last = state.session
        said = `Kept going: it stops in ${span(last.stopsIn)} if idle.`
      }
    } catch {
      // it says so
    }
    draw()
  }
  help.onclick = () => {
    const { limits, contact, home: back } = last
    const parts = [
      ['Time', 'The session stops when nothing has happened in it for a while. Running cells keep it going; an idle open tab does so for up to 8 hours. “Keep going” adds time.'],
      ['Memory', `All notebooks of the session share ${limits.memoryBytes ? sizeOf(limits.memoryBytes) : 'its memory'}. If it runs out, a kernel is stopped and its variables are lost. Shut down kernels that you don’t need, and load less at once.`],
      ['Files', `Saved files are kept when the session stops; variables aren’t.${limits.diskBytes ? ` The files may take ${sizeOf(limits.diskBytes)}.` : ''} You can download them from your sessions.`],
    ]
    const close = make('button', { type: 'button', onclick: () => dialog.close() }, 'Close')
    const sessions = make('a', { className: 'button second', href: new URL('/sessions', back.url) }, 'Go to your sessions')
    const dialog = make(
      'dialog',
      { onclose: () => (dialog.remove(), help.focus()) },
      make('h1', { id: 'title', tabIndex: -1, autofocus: true }, 'This session'),
      ...parts.flatMap(([title, text]) => [make('h2', {}, title), make('p', {}, text)]),
      ...(contact ? [make('h2', {}, 'Questions'), make('p', {}, `Write to ${contact}.`)] : []),
      make('div', { className: 'actions' }, close, sessions),
    )
    dialog.setAttribute('aria-labelledby', 'title')
    root.append(dialog)
    dialog.showModal()
  }

  let styled = false
  const place = () => {
    if (!styled || !last) return host.classList.add('away')
    draw()
    host.classList.remove('away')
  }
  style.onload = () => {
    styled = true
    place()
  }
  host.classList.add('away')
  ;(header ?? document.body).prepend(host)

  return {
    host,
    update(session) {
      if (session?.warning && session.warning !== last?.warning) {
        // Jupyter's own explanation is shorter and lies over ours: that a kernel seems to have died.
        for (const close of document.querySelectorAll('.kernel-modal .close')) close.click()
      }
      last = session
      place()
    },
  }
}

/** Draws the views in a shadow tree, so that the styles of the page and ours don't meet. */
function drawer(folder, id) {
  const host = document.createElement('cairn-session')
  const root = host.attachShadow({ mode: 'open' })
  const bar = make('section', { className: 'bar' })
  bar.setAttribute('role', 'status')
  root.append(make('link', { rel: 'stylesheet', href: '/.cairn/assets/session.css' }), bar)
  document.documentElement.append(host)
  const top = strip(folder)
  // Jupyter has shortcuts for single keys, which would run cells and delete them while somebody presses our buttons.
  for (const type of ['keydown', 'keypress', 'keyup']) {
    addEventListener(type, (event) => (dialog?.open || event.composedPath().some((part) => part === host || part === top.host)) && event.stopPropagation(), true)
  }

  // Where a page of ours leads afterwards: to this page, or to one that stands for it.
  const next = (above) => `?next=${encodeURIComponent(above + pathInside(location.pathname, id))}`
  const here = () => next(`/s/${id}/`)
  const link = (href, label) => make('a', { className: 'button', href }, label)
  const signIn = ({ open }) => {
    const address = open + next(`${folder}signed-in/`)
    return Object.assign(link(address, 'Sign in to continue'), { target: '_blank', rel: 'noopener' })
  }
  const startAgain = () =>
    make('form', { method: 'post', action: `${folder}start${here()}` }, make('button', {}, 'Start again'))
  const unsaved = 'What you haven’t saved is only in this tab: look at the page and copy what you need.'
  // Each with a title, a text behind the server's, and what can be done.
  const views = {
    sign_in: [
      'Sign in to continue',
      'You’re signed out of this session, or it was deleted. The sign-in opens in a new tab. Then continue here; nothing in this page is lost.',
      signIn,
    ],
    stopping: ['This session is being stopped', `Its work is kept. ${unsaved}`],
    ended: ['This session has ended', unsaved, startAgain],
    starting: ['This session is starting again', unsaved, () => link(`${folder}launch${here()}`, 'Show its progress')],
    other: [
      'This session was started again',
      `This page belongs to the previous run. ${unsaved}`,
      () => make('button', { onclick: () => location.reload() }, 'Reload'),
    ],
    restored: [
      'A version was restored',
      `You restored an earlier version of this file, so this tab is out of date and can’t save. ${unsaved}`,
      () => make('button', { onclick: () => location.reload() }, 'Reload'),
    ],
    refused: ['This session isn’t open to you', '', ({ open }) => link(new URL('/sessions', open), 'Go to your sessions')],
  }
  let shown = ''
  let putOff = ''
  let dialog

  function clear() {
    if (dialog) {
      dialog.onclose = null
      dialog.close() // so that the focus goes back to where it was
      dialog.remove()
      dialog = undefined
    }
    bar.replaceChildren()
  }

  const showBar = (text, ...controls) => bar.replaceChildren(make('p', {}, text), ...controls)

  function showDialog([title, text, action], state) {
    const actions = () => (action ? [action(state)] : [])
    const heading = make('h1', { id: 'title', tabIndex: -1, autofocus: true }, title) // no button: somebody may be typing
    const said = [state.text, text].filter(Boolean).map((part) => make('p', {}, part))
    const close = make('button', { className: 'second', onclick: () => dialog.close() }, 'Keep reading')
    dialog = make('dialog', {}, heading, make('div', { id: 'text' }, ...said), make('div', { className: 'actions' }, ...actions(), close))
    dialog.setAttribute('role', 'alertdialog')
    dialog.setAttribute('aria-labelledby', 'title')
    dialog.setAttribute('aria-describedby', 'text')
    dialog.onclose = () => showBar(`${title}.`, ...actions())
    root.append(dialog)
    dialog.showModal()
  }

  function showEnd(view, state) {
    const end = new Date(Date.now() + state.signIn * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    const later = make('button', { className: 'second' }, 'Later')
    later.onclick = () => {
      putOff = view
      clear()
    }
    showBar(`Your sign-in to this session ends at ${end}.`, signIn(state), later)
  }

  return function show(view, state) {
    top.update(state.session)
    if (views[view]) {
      // Jupyter's own explanations of the same are wrong: that the kernel died, or that the network is to blame.
      for (const close of document.querySelectorAll('.kernel-modal .close')) close.click()
    }
    if (view === '') putOff = ''
    const key = view + state.run
    if (key === shown || (view === '' && shown.startsWith('again'))) return // that leaves by itself
    shown = key
    clear()
    if (views[view]) {
      showDialog(views[view], state)
    } else if (view === 'again') {
      reconnect()
      showBar('You’re signed in again. Continue where you left off.')
      setTimeout(() => shown === key && clear(), 8_000)
    } else if (view !== '' && view !== putOff) {
      showEnd(view, state)
    }
  }
}

function begin() {
  const folder = new URL('.', import.meta.url).pathname // "/.cairn/s/ID/"
  const id = folder.split('/').at(-2)
  const jupyters = new CSSStyleSheet()
  jupyters.replaceSync('#login_widget, #jupyterhub-control-panel-link { display: none !important }') // signing out is the catalog's
  document.adoptedStyleSheets.push(jupyters)
  const ask = async () => {
    const answer = await fetch(`${folder}state`, { cache: 'no-store', headers: { Accept: 'application/json' } })
    return answer.json()
  }
  const { hurry, pause } = follow({ ask, show: drawer(folder, id), hidden: () => document.hidden, now: () => performance.now() })
  document.addEventListener('visibilitychange', () => (document.hidden ? pause() : hurry()))
  for (const type of ['focus', 'online', 'pageshow']) addEventListener(type, hurry)
  // A dialog of Jupyter's that says that a connection is lost may have its cause here.
  const isDialog = (node) => node instanceof Element && node.matches('.modal, .jp-Dialog')
  new MutationObserver((changes) => {
    if (changes.some(({ addedNodes }) => [...addedNodes].some(isDialog))) hurry()
  }).observe(document.body, { childList: true })
}

if (globalThis.document) begin()
