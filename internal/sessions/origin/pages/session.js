// Runs in the pages of Jupyter's applications and says what they can't know: what the session uses and when it stops, that
// the sign-in is about to end, and that the session has ended. It only asks this server, and has no right that the page
// around it lacks.

const usual = 30_000 // milliseconds between looks while the page is visible
const quick = 2_000 // and while something changes
const retry = 5_000 // and in the first minute in which the server doesn't answer
const longest = 300_000 // and later, at most
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

/** The address of the saved versions, of the file that a page of Jupyter shows if it shows one. */
export function versionsOf(url, pathname, id) {
  const [, file] = pathInside(pathname, id).match(/^(?:(?:nbclassic\/)?(?:notebooks|edit)|(?:lab|doc)(?:\/workspaces\/[^/]+)?\/tree)\/(.+)$/) ?? []
  return file ? `${url}?file=${encodeURIComponent(file)}` : url
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
  let hurried = 1 // at first the server doesn't know yet that a tab is open
  let asked = Number.NEGATIVE_INFINITY
  let asking = false
  let working = false // a notebook is being executed without a page
  let timer

  function pause() {
    if (failures === 1) return quick
    if (failures > 1) return Math.min(retry * 2 ** Math.max(0, failures - 12), longest)
    if (hurried > 0) hurried--
    else if (view !== 'stopping') return working ? retry : usual
    return quick
  }

  async function look() {
    asking = true
    asked = now()
    try {
      const state = await ask()
      const next = viewOf(state, run)
      failures = next === undefined ? failures + 1 : 0
      working = ['QUEUED', 'RUNNING'].includes(state.session?.job?.state)
      if (state.code === 'running') run ??= state.run
      if (next !== undefined) {
        const back = next === '' && ['soon', 'last', 'sign_in', 'away'].includes(view)
        const shown = back ? (view === 'away' ? 'back' : 'again') : next
        view = next
        show(shown, state)
      }
    } catch {
      failures++
    }
    if (failures > 1 && ['', 'soon', 'last'].includes(view)) {
      view = 'away'
      show(view, {})
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

/** What the strip says about saved versions. */
export function savedOf({ ago, stopped }) {
  if (stopped) return 'Not saved'
  if (ago < 0) return 'Not saved yet'
  return ago < 60 ? 'Saved just now' : `Saved ${span(ago)} ago`
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

const fileOf = (pathname, id) => decodeURIComponent(pathInside(pathname, id).match(/^(?:(?:nbclassic\/)?notebooks|lab\/tree|doc\/tree)\/(.+\.ipynb)$/)?.[1] ?? '')

/** What to say of a notebook that is executed without its page, and what was said when it has ended. */
export function finishOf(job, file) {
  if (!job) return { live: false, text: '' }
  const name = job.file === file ? '' : ` ${job.file.split('/').pop()}`
  switch (job.state) {
    case 'QUEUED':
    case 'RUNNING': {
      const cell = job.total ? `cell ${Math.min(job.done + 1, job.total)} of ${job.total}` : 'starting'
      const took = job.seconds >= 60 ? `, ${span(job.seconds)}` : ''
      return { live: true, text: `Running${name} to the end: ${cell}${took}${job.expected >= 60 ? `, last time ${span(job.expected)}` : ''}` }
    }
    case 'DONE':
      return { live: false, text: `Ran${name || ' this notebook'} to the end, in ${span(job.seconds)}.` }
    case 'CANCELED':
      return { live: false, text: `Stopped running${name || ' this notebook'} to the end, before cell ${job.done + 1} of ${job.total}.` }
  }
  return { live: false, text: `${name ? `${name.trim()}: ` : ''}${job.reason}` }
}

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

/** What to say of the others who are in a session, and whose it is to a guest; "" is nothing. */
export function companyOf({ guest, present = [] }) {
  const names = present.map(({ name, as, people }) => {
    const doing = as === 'owner' ? 'whose session it is' : as === 'edit' ? 'working' : 'looking'
    return name ? `${name} (${doing})` : people === 1 ? 'somebody with the link' : `${people} people with the link`
  })
  const here = names.length ? `Here now: ${names.join(', ')}.` : ''
  return guest ? `You’re in ${guest}’s session: what you do here counts as theirs. ${here}`.trim() : here
}

/** What to say when two people have saved a file. The path is as in addresses. */
export function keptOf(path) {
  let name = path
  try {
    name = decodeURIComponent(path)
  } catch {
    // it stays as it is
  }
  return `Somebody else had saved this file after you opened it. Their version is kept as “${name.split('/').pop()}”.`
}

/** Connects the kernel of a notebook at once: Jupyter waits longer after each try, and gives up after two minutes. */
export function reconnect() {
  const kernel = globalThis.Jupyter?.notebook?.kernel
  if (kernel && !kernel.is_connected()) kernel.reconnect()
}

const collapsed = 'cairn-session-bar' // in the storage of this browser

/** Draws the strip at the top of the page: in the header of Jupyter's classic pages, else above the application. */
function strip(folder, id) {
  const host = make('cairn-session-strip', { className: 'strip-host' })
  const root = host.attachShadow({ mode: 'open' })
  const style = make('link', { rel: 'stylesheet', href: '/.cairn/assets/session.css' })
  const catalog = make('a', { className: 'catalog' })
  const home = make('a', { className: 'home' })
  const saved = make('span', { className: 'roomy' })
  const versions = make('a', { target: '_blank', rel: 'noopener' }, 'Versions')
  const saving = make('p', { className: 'saving' }, saved, versions)
  const time = make('p', { className: 'time' })
  const keep = make('button', { className: 'small keep', type: 'button' }, 'Keep going')
  const meters = make('div', { className: 'meters' })
  const editor = make('a', { className: 'roomy', target: '_blank', rel: 'noopener' }, 'VS Code')
  const stop = make('button', { className: 'small', type: 'button', ariaHasPopup: 'dialog' }, 'Stop')
  const finish = make('button', { className: 'small roomy', type: 'button' })
  const help = make('button', { className: 'small', type: 'button', ariaHasPopup: 'dialog', ariaLabel: 'Help with this session' }, '?')
  const hide = make('button', { className: 'small', type: 'button', ariaLabel: 'Hide the session bar' }, '×')
  const share = make('a', { className: 'roomy', target: '_blank', rel: 'noopener' }, 'Share')
  const sides = make('div', { className: 'sides' }, editor, share, finish, stop, help, hide)
  const notice = make('p', { className: 'notice' })
  notice.setAttribute('role', 'status')
  const company = make('p', { className: 'notice' })
  const path = make('p', { className: 'path' }, catalog, make('span', { ariaHidden: 'true' }, '/'), home)
  const line = make('section', { className: 'strip' }, path, saving, meters, time, keep, sides, company, notice)
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
  let looks = 0
  let said = '' // after a button was pressed, until the next warning
  let ranHere // the job that this page has seen going on, so that its end is said

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
    catalog.replaceChildren(last.catalog.name)
    catalog.href = last.catalog.url
    home.replaceChildren(last.home.name)
    home.href = last.home.url
    home.title = `Back to ${last.home.name}`
    saving.hidden = !last.saving
    if (last.saving) {
      saved.replaceChildren(savedOf(last.saving))
      saved.title = last.saving.stopped ?? ''
      saving.classList.toggle('pressing', Boolean(last.saving.stopped))
      versions.href = versionsOf(last.saving.url, location.pathname, id)
    }
    share.hidden = !last.share
    share.href = last.share ?? ''
    stop.hidden = Boolean(last.guest)
    const others = companyOf(last)
    if (company.textContent !== others) company.textContent = others
    editor.hidden = !last.editor
    editor.href = last.editor ?? ''
    const isKnown = looks > 1 || soon // the server learns a moment later that this tab is open
    time.hidden = !isKnown
    time.replaceChildren(text, text && make('span', { className: 'roomy' }, ' if idle'))
    time.classList.toggle('pressing', soon)
    keep.hidden = !mayKeep || !isKnown
    meters.replaceChildren(...used.map(meter))
    const file = fileOf(location.pathname, id)
    const job = finishOf(last.job, file)
    if (job.live) ranHere = last.job.id
    finish.hidden = Boolean(last.guest) || (!job.live && !file)
    finish.classList.toggle('roomy', !job.live)
    finish.replaceChildren(job.live ? 'Stop running' : 'Run to the end')
    const words = warning || (job.live || ranHere === last.job?.id ? job.text : '') || said
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
  finish.onclick = async () => {
    const file = fileOf(location.pathname, id)
    const { live } = finishOf(last.job, file)
    finish.disabled = true
    said = 'That didn’t work. Try again in a moment.'
    try {
      if (!live) await globalThis.Jupyter?.notebook?.save_notebook() // so that the server has what the page shows
      const options = { method: 'POST', headers: { Accept: 'application/json', 'Content-Type': 'application/json' }, body: live ? '{}' : JSON.stringify({ path: file }) }
      const answer = await fetch(`${folder}finish${live ? '/cancel' : ''}`, options)
      const state = await answer.json()
      if (answer.ok && state.session) {
        last = state.session
        said = ''
      } else if (state.text) {
        said = state.text
      }
    } catch {
      // it says so
    }
    finish.disabled = false
    draw()
    dispatchEvent(new Event('cairn-hurry'))
  }
  addEventListener('cairn-kept', ({ detail }) => {
    said = keptOf(detail)
    if (last) draw()
  })
  /** Opens a dialog with a title, parts with a heading each, and what can be done. */
  function open(opener, title, parts, actions) {
    const close = make('button', { className: actions.length ? 'second' : '', type: 'button', onclick: () => dialog.close() }, actions.length ? 'Keep working' : 'Close')
    const dialog = make(
      'dialog',
      { onclose: () => (dialog.remove(), opener.focus()) },
      make('h1', { id: 'title', tabIndex: -1, autofocus: true }, title),
      ...parts.flatMap(([heading, text]) => [...(heading ? [make('h2', {}, heading)] : []), make('p', {}, text)]),
    )
    dialog.append(make('div', { className: 'actions' }, ...actions.map((action) => action(dialog)), close))
    dialog.setAttribute('aria-labelledby', 'title')
    root.append(dialog)
    dialog.showModal()
  }
  stop.onclick = () => {
    const doIt = async (dialog) => {
      dialog.close()
      said = 'That didn’t work. Try again in a moment.'
      try {
        const answer = await fetch(`${folder}stop`, { method: 'POST', headers: { Accept: 'application/json' } })
        if (answer.ok) said = 'Stopping…'
      } catch {
        // it says so
      }
      draw()
      dispatchEvent(new Event('cairn-hurry'))
    }
    const text = `Saved files are kept${last.saving ? ', with their earlier versions,' : ''} and you can start it again from your sessions. Variables are lost. Save in Jupyter first.`
    open(stop, 'Stop this session?', [['', text]], [(dialog) => make('button', { type: 'button', onclick: () => doIt(dialog) }, 'Stop the session')])
  }
  help.onclick = () => {
    const { limits, contact, catalog: top, saving: kept, stopsIn } = last
    const uses = stripOf(last).meters.map(({ label, text }) => `${label}: ${text}.`).join(' ')
    const versionsText = ['Your work is saved every minute while files change, and when the session stops. Lost a cell, or a file? ', make('a', { href: kept && versionsOf(kept.url, location.pathname, id), target: '_blank', rel: 'noopener' }, 'Open its versions'), ', choose a time before, and see what changed in each cell. Restoring never deletes anything.']
    const parts = [
      ...(kept ? [['Versions', make('span', {}, ...versionsText)]] : []),
      ['Time', `${stopsIn === undefined ? '' : `The session stops in ${span(stopsIn)} if nothing happens in it. `}Running cells keep it going; an idle open tab does so for up to 8 hours. “Keep going” adds time.`],
      ['Memory', `All notebooks of the session share ${limits.memoryBytes ? sizeOf(limits.memoryBytes) : 'its memory'}. If it runs out, a kernel is stopped and its variables are lost. Shut down kernels that you don’t need, and load less at once.`],
      ['Closing this page', 'Running cells go on. What they print meanwhile is here when you come back, and in the file. “Run to the end” executes the rest of the notebook too.'],
      ['Files', `Saved files are kept when the session stops; variables aren’t.${limits.diskBytes ? ` The files may take ${sizeOf(limits.diskBytes)}.` : ''} You can download them from your sessions.`],
      ...(uses ? [['In use now', uses]] : []),
      ...(contact ? [['Questions', `Write to ${contact}.`]] : []),
      ...(last.share ? [['Other people', make('a', { href: last.share, target: '_blank', rel: 'noopener' }, 'Show this session to others, or ask for help')]] : []),
      ['', make('a', { href: new URL('/sessions', top.url) }, 'Go to your sessions')],
    ]
    open(help, 'This session', parts, [])
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
      looks++
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
  const top = strip(folder, id)
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
    if (view !== 'away') top.update(state.session)
    if (views[view] || view === 'away') {
      // Jupyter's own explanations of the same are wrong: that the kernel died, or that the network is to blame.
      for (const close of document.querySelectorAll('.kernel-modal .close')) close.click()
    }
    if (view === '') putOff = ''
    const key = view + state.run
    if (key === shown || (view === '' && /^(again|back)/.test(shown))) return // that leaves after a while
    shown = key
    clear()
    if (views[view]) {
      showDialog(views[view], state)
    } else if (view === 'away') {
      showBar(`The server can’t be reached. Your session goes on, and this page reconnects automatically. What you haven’t saved is only in this tab until then.`)
    } else if (view === 'again' || view === 'back') {
      reconnect()
      showBar(view === 'back' ? 'Connected again. Continue where you left off.' : 'You’re signed in again. Continue where you left off.')
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
  for (const type of ['focus', 'online', 'pageshow', 'cairn-hurry']) addEventListener(type, hurry)
  // A dialog of Jupyter's that says that a connection is lost may have its cause here.
  const isDialog = (node) => node instanceof Element && node.matches('.modal, .jp-Dialog')
  new MutationObserver((changes) => {
    if (changes.some(({ addedNodes }) => [...addedNodes].some(isDialog))) hurry()
  }).observe(document.body, { childList: true })
}

if (globalThis.document) begin()
