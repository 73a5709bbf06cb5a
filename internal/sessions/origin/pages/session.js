// Runs in the pages of Jupyter's applications and says what they can't know: what the session uses and when it stops, that
// the sign-in is about to end, that the session has ended, and what the host of its workshop says. It only asks this server,
// and has no right that the page around it lacks.

const usual = 30_000 // milliseconds between looks while the page is visible
const quick = 2_000 // and while something changes
const often = 4_000 // and in a workshop, whose messages are to be in all pages within five seconds
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
  let told = false // there is a workshop whose host may say something
  let timer

  function pause() {
    if (failures === 1) return quick
    if (failures > 1) return Math.min(retry * 2 ** Math.max(0, failures - 12), longest)
    if (hurried > 0) hurried--
    else if (view !== 'stopping') return told ? often : working ? retry : usual
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
      told = Boolean(state.session?.workshop)
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

// Which files Jupyter's editor shows, as in engine.Interface; its list of files shows the others itself.
const editable = /(?:^|\/)[^./]+$|\.(?:cfg|csv|ini|jl|json|md|py|r|rmd|rst|sh|tex|toml|tsv|txt|ya?ml)$/i

/** The address at which Jupyter shows a file of the work folder, in the application whose page asks for it. */
export function addressOf(jupyter, file, isLab) {
  const page = isLab ? 'lab/tree' : /\.ipynb$/i.test(file) ? 'notebooks' : editable.test(file) ? 'edit' : 'tree'
  return `${jupyter}${page}/${file.split('/').map(encodeURIComponent).join('/')}`
}

/** A time for people; of another day, with its date. */
function momentOf(at) {
  const moment = new Date(at)
  return moment.toDateString() === new Date().toDateString()
    ? moment.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : moment.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
}

const nameOf = (path) => path.split('/').pop()

/** What to say of something that the host has handed out, and of where it lies if that isn't where it should. */
export function handedOf({ files }, guest) {
  const [named, rest] = [files.slice(0, 3).map(({ path }) => nameOf(path)), files.length - 3]
  if (rest > 0) named.push(`${rest} more`)
  const names = named.length > 1 ? `${named.slice(0, -1).join(', ')} and ${named.at(-1)}` : named[0]
  const besides = files.filter(({ how }) => how === 'beside')
  const kept = files.filter((file) => file.kept)
  const [single] = besides
  const [yours, file] = guest ? [`${guest}’s`, `${guest}’s file`] : ['your', 'Your file']
  const parts = [
    `The host handed out ${names}`,
    besides.length === files.length ? '. ' : `: ${files.length === 1 ? 'it is' : 'they are'} in ${yours} files. `,
    besides.length === 1 && `${files.length === 1 ? file : `${file} ${nameOf(single.path)}`} keeps its name; the host’s is “${nameOf(single.at)}”. `,
    besides.length > 1 && `${besides.length === files.length ? 'They' : `${besides.length} of them`} lie beside ${yours} own files, which keep their names. `,
    files.length === 1 && files[0].how === 'replaced' && 'It replaced the earlier one, which nobody had changed. ',
    kept.length > 0 && `What was saved meanwhile is kept as ${kept.map((one) => `“${nameOf(one.kept)}”`).join(', ')}. `,
  ]
  return parts.filter(Boolean).join('').trim()
}

const endNotice = 600 // seconds before the end of a workshop at which its pages say so
const endWarning = 120 // and at which they press

/** What to say of the end of a workshop. `mark` is another one whenever that is to be read out: before the last 10, 5, 2 and 1 minutes. */
export function endOf({ endsIn, ending }, guest) {
  if (endsIn > endNotice && !ending) return undefined
  const minutes = Math.ceil(endsIn / 60)
  const when = minutes > 0 ? `ends in ${span(minutes * 60)}` : 'is ending'
  return {
    text: guest ? `The workshop ${when}, and this session with it.` : `The workshop ${when}. Your files are kept; save your work.`,
    pressing: endsIn <= endWarning,
    mark: [0, 1, 2, 5, 10].find((mark) => minutes <= mark) ?? 'early',
  }
}

/** What a host asks for who wants to be let in, and what it means to agree. */
function askOf({ id, who, can }, ends) {
  const [wish, gives, agreed] = {
    see: ['to see this session', 'They see your notebooks and files', 'can see this session now'],
    copy: ['to see this session and to copy its work', 'They see your notebooks and files, and can start a session of their own with them,', 'can see and copy this session now'],
    edit: ['to work in this session with you', 'They work in your notebooks and files as you do', 'can work in this session now'],
  }[can]
  return { id, text: `${who} asks ${wish}.`, means: `${gives} until the session ends.${ends ? ' You can end that with Share.' : ''}`, agreed: `${who} ${agreed}.` }
}

/**
 * What to show of a session's workshop; undefined outside workshops. `dismissed` has the ids of the message and of the hand-out
 * that the person has dismissed, and `answered` those of the hosts whom they have answered.
 */
export function workshopOf({ workshop, jupyter, guest, share }, { dismissed = {}, answered = [], isLab = false } = {}) {
  if (!workshop) return undefined
  const { name, seat, handUp } = workshop
  const [messages, handouts, asks] = [workshop.messages ?? [], workshop.handouts ?? [], workshop.asks ?? []]
  const linked = ({ at, path }) => ({ name: nameOf(path), at: nameOf(at), href: addressOf(jupyter, at, isLab) })
  const [message, handout] = [messages[0], handouts[0]]
  const ask = guest ? undefined : asks.find(({ id }) => !answered.includes(id)) // one at a time
  return {
    seat: { number: seat, text: `Seat ${seat}`, title: name },
    hand: guest ? undefined : { label: handUp ? 'Lower hand' : 'Raise hand', isUp: handUp, text: handUp ? 'Your hand is up: the host sees it.' : '' },
    message: message && message.id !== dismissed.said ? { id: message.id, text: `From the host: ${message.text}`, hasMore: messages.length > 1 } : undefined,
    handout:
      handout?.files?.length && handout.id !== dismissed.handed
        ? { id: handout.id, text: handedOf(handout, guest), links: handout.files.slice(0, 3).map(linked), hasMore: handouts.length > 1 || handout.files.length > 3 }
        : undefined,
    ask: ask && askOf(ask, share),
    end: endOf(workshop, guest),
    messages: messages.map(({ text, at }) => ({ text, at })),
    handouts: handouts.map(({ files, at }) => ({ at, files: (files ?? []).map(linked) })),
  }
}

/** What it means to stop a session. */
export function stopTextOf({ saving, workshop }) {
  const kept = `Saved files are kept${saving ? ', with their earlier versions' : ''}`
  const again = workshop ? '. Your seat stays yours: you can enter it again from the page where you joined' : `${saving ? ',' : ''} and you can start it again from your sessions`
  return `${kept}${again}. Variables are lost. Save in Jupyter first.`
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
  const seat = make('span', { className: 'seat roomy' })
  const time = make('p', { className: 'time' })
  const keep = make('button', { className: 'small keep', type: 'button' }, 'Keep going')
  const meters = make('div', { className: 'meters' })
  const editor = make('a', { className: 'roomy', target: '_blank', rel: 'noopener' }, 'VS Code')
  const stop = make('button', { className: 'small', type: 'button', ariaHasPopup: 'dialog' }, 'Stop')
  const finish = make('button', { className: 'small roomy', type: 'button' })
  const help = make('button', { className: 'small', type: 'button', ariaHasPopup: 'dialog', ariaLabel: 'Help with this session' }, '?')
  const hide = make('button', { className: 'small', type: 'button', ariaLabel: 'Hide the session bar' }, '×')
  const share = make('a', { className: 'roomy', target: '_blank', rel: 'noopener' }, 'Share')
  const hand = make('button', { className: 'small', type: 'button' })
  const sides = make('div', { className: 'sides' }, hand, editor, share, finish, stop, help, hide)
  const notice = make('p', { className: 'notice' })
  notice.setAttribute('role', 'status')
  const company = make('p', { className: 'notice' })
  const path = make('p', { className: 'path' }, catalog, make('span', { ariaHidden: 'true' }, '/'), home)
  const line = make('section', { className: 'strip' }, path, seat, saving, meters, time, keep, sides, company, notice)
  line.setAttribute('aria-label', 'Session')
  const unfold = make('button', { className: 'unfold', type: 'button' }, 'Session')
  unfold.setAttribute('aria-label', 'Show the session bar')
  unfold.setAttribute('aria-expanded', 'false')
  // What a workshop says stays in sight when the bar is hidden.
  const banners = { end: banner('ends'), ask: banner(), message: banner(), handout: banner() }
  const above = make('section', { className: 'banners' }, ...Object.values(banners).map(({ box }) => box))
  above.setAttribute('aria-label', 'Workshop')
  const all = make('div', {}, line, above)
  root.append(style, all, unfold)

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
  const dismissed = {} // of what the host said, by kind; for browsers without storage
  const answered = [] // hosts who asked to be let in
  let refused = {} // the one to whom the last answer wasn't taken, and why
  let readOut // the mark of what was last read out of the workshop's end

  // Jupyter's own layout makes room for what its header holds; applications without one are moved down.
  const header = document.querySelector('#header')
  const room = new CSSStyleSheet()
  if (!header) document.adoptedStyleSheets.push(room)
  const layOut = () => {
    const height = host.isConnected ? all.offsetHeight : 0
    if (!header) room.replaceSync(height ? `body > #main, .jp-LabShell { top: ${height}px !important; height: calc(100% - ${height}px) !important }` : '')
    dispatchEvent(new Event('resize'))
  }
  new ResizeObserver(layOut).observe(all)

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
    const told = drawWorkshop()
    const words = warning || (job.live || ranHere === last.job?.id ? job.text : '') || said || told
    if (notice.textContent !== words) notice.textContent = words // a repeated text would be read out again
    notice.classList.toggle('pressing', warning !== '')
  }

  /** Draws what the workshop says, and returns what is to be said in the bar. */
  function drawWorkshop() {
    for (const kind of ['said', 'handed']) dismissed[kind] = storage((stored) => stored.getItem(`cairn-${kind}-${id}`)) ?? dismissed[kind]
    const shown = workshopOf(last, { dismissed, answered, isLab: isLab() })
    above.hidden = !shown
    line.classList.toggle('seated', Boolean(shown))
    seat.hidden = !shown
    seat.replaceChildren(shown?.seat.text ?? '')
    seat.title = shown?.seat.title ?? ''
    hand.hidden = !shown?.hand
    if (shown?.hand) {
      if (hand.textContent !== shown.hand.label) hand.textContent = shown.hand.label
      hand.ariaPressed = String(shown.hand.isUp)
    }
    const { end, ask, message, handout } = shown ?? {}
    banners.end.status.ariaLive = end && end.mark !== readOut ? 'polite' : 'off' // the minutes change more often than somebody wants to hear
    readOut = end?.mark
    banners.end.show(end?.text)
    banners.end.box.classList.toggle('pressing', Boolean(end?.pressing))
    banners.ask.show(ask && [(refused.id === ask.id && refused.text) || ask.text, ask.means], () => [
      make('button', { className: 'small', type: 'button', onclick: () => answer(ask, true) }, 'Let in'),
      make('button', { className: 'small', type: 'button', onclick: () => answer(ask, false) }, 'Not now'),
    ])
    banners.message.show(message?.text, () => [...more(message, 'Show all messages'), dismissal('said', message, 'Dismiss this message')])
    banners.handout.show(
      handout?.text,
      () => [
        ...handout.links.map(({ name, at, href }) => {
          const label = handout.links.length > 1 ? name : 'Open'
          return make('a', { href, target: '_blank', rel: 'noopener', ariaLabel: `Open ${name === at ? at : `${name}: ${at}`}` }, label)
        }),
        ...more(handout, 'Show everything that was handed out'),
        dismissal('handed', handout, 'Dismiss this hand-out'),
      ],
      handout?.id,
    )
    return shown?.hand?.text ?? ''
  }

  /** A line below the bar, which is read out when its words change; its buttons stay the same as long as they do. */
  function banner(kind = '') {
    const status = make('div', { className: 'words' })
    status.setAttribute('role', 'status')
    const actions = make('div', { className: 'answers' })
    const box = make('div', { className: `banner ${kind}` }, status, actions)
    let key = ''
    const show = (words = '', controls = () => [], about = '') => {
      const next = words && JSON.stringify([words, about])
      box.classList.toggle('empty', !words) // it isn't hidden: what appears with its region is seldom read out
      if (next === key) return
      key = next
      status.replaceChildren(...(words ? [words].flat() : []).map((text) => make('p', {}, text)))
      actions.replaceChildren(...(words ? controls() : []))
    }
    return { box, status, show }
  }

  const isLab = () => /^(?:lab|doc)(?:\/|$)/.test(pathInside(location.pathname, id))
  const more = ({ hasMore }, ariaLabel) => (hasMore ? [make('button', { className: 'small', type: 'button', ariaHasPopup: 'dialog', ariaLabel, onclick: ({ currentTarget }) => showHelp(currentTarget) }, 'Show all')] : [])

  function dismissal(kind, { id: about }, ariaLabel) {
    const dismiss = () => {
      dismissed[kind] = about
      storage((stored) => stored.setItem(`cairn-${kind}-${id}`, about))
      draw()
      focusNext()
    }
    return make('button', { className: 'small', type: 'button', ariaLabel, onclick: dismiss }, 'Dismiss')
  }

  /** Leaves the focus nearby when its button has gone. */
  function focusNext() {
    ;(above.querySelector('button') ?? (line.hidden ? unfold : help)).focus()
  }

  /** Sends a request that is answered like a look at the state; returns why it failed. */
  async function send(path, method = 'POST') {
    const trouble = 'That didn’t work. Try again in a moment.'
    try {
      const got = await fetch(folder + path, { method, headers: { Accept: 'application/json' } })
      const state = await got.json()
      if (!got.ok || !state.session) return state.text || trouble
      last = state.session
      return ''
    } catch {
      return trouble
    }
  }

  let answering = false
  async function answer({ id: about, agreed }, granted) {
    if (answering) return
    answering = true
    const text = await send(`asks/${encodeURIComponent(about)}${granted ? '' : '?granted=false'}`)
    answering = false
    refused = { id: about, text }
    if (!text) {
      answered.push(about)
      said = granted ? agreed : ''
    }
    draw()
    focusNext()
  }

  hand.onclick = async () => {
    const isUp = last.workshop?.handUp
    said = await send('hand', isUp ? 'DELETE' : 'POST')
    if (!said && isUp) said = 'Your hand is down.'
    draw()
    dispatchEvent(new Event('cairn-hurry'))
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
  /** Opens a dialog with a title, parts with a heading each (a list if there are several things), and what can be done. */
  function open(opener, title, parts, actions) {
    const close = make('button', { className: actions.length ? 'second' : '', type: 'button', onclick: () => dialog.close() }, actions.length ? 'Keep working' : 'Close')
    const dialog = make(
      'dialog',
      { onclose: () => (dialog.remove(), opener.focus()) },
      make('h1', { id: 'title', tabIndex: -1, autofocus: true }, title),
      ...parts.flatMap(([heading, text]) => [
        ...(heading ? [make('h2', {}, heading)] : []),
        Array.isArray(text) ? make('ul', {}, ...text.map((one) => make('li', {}, ...[one].flat()))) : make('p', {}, text),
      ]),
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
    open(stop, 'Stop this session?', [['', stopTextOf(last)]], [(dialog) => make('button', { type: 'button', onclick: () => doIt(dialog) }, 'Stop the session')])
  }
  const workshopParts = () => {
    const { seat: place, messages, handouts } = workshopOf(last, { isLab: isLab() })
    const file = ({ name, at, href }) => [make('a', { href, target: '_blank', rel: 'noopener' }, at), name === at ? '' : ` (${name})`]
    const files = (all) => all.flatMap((one, index) => [index ? ', ' : '', ...file(one)])
    return [
      ['Workshop', last.guest ? `${last.guest} has seat ${place.number} in “${place.title}”.` : `You have seat ${place.number} in “${place.title}”. Raise your hand if you need help; you can go on working meanwhile.`],
      ...(messages.length ? [['From the host', messages.map(({ text, at }) => `${momentOf(at)}: ${text}`)]] : []),
      ...(handouts.length ? [['Handed out', handouts.map((one) => [`${momentOf(one.at)}: `, ...files(one.files)])]] : []),
    ]
  }
  help.onclick = () => showHelp(help)
  function showHelp(opener) {
    const { limits, contact, catalog: top, saving: kept, stopsIn } = last
    const uses = stripOf(last).meters.map(({ label, text }) => `${label}: ${text}.`).join(' ')
    const versionsText = ['Your work is saved every minute while files change, and when the session stops. Lost a cell, or a file? ', make('a', { href: kept && versionsOf(kept.url, location.pathname, id), target: '_blank', rel: 'noopener' }, 'Open its versions'), ', choose a time before, and see what changed in each cell. Restoring never deletes anything.']
    const parts = [
      ...(last.workshop ? workshopParts() : []),
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
    open(opener, 'This session', parts, [])
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
