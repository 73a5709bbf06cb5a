// Runs in the pages of Jupyter's applications and says what they can't know: what the session uses and when it stops, that
// the sign-in is about to end, that the session has ended, and what the host of its workshop says. It only asks this server,
// and has no right that the page around it lacks.

import { make, strip } from './bar.js'
import { pathInside } from './words.js'

const usual = 30_000 // milliseconds between looks while the page is visible
const quick = 2_000 // and while something changes
const often = 4_000 // and in a workshop, whose messages are to be in all pages within five seconds
const retry = 5_000 // and in the first minute in which the server doesn't answer
const longest = 300_000 // and later, at most
const lastNotice = 120 // seconds before the end of the sign-in at which the page says so again, to whoever put it off

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

/** Connects the kernel of a notebook at once: Jupyter waits longer after each try, and gives up after two minutes. */
export function reconnect() {
  const kernel = globalThis.Jupyter?.notebook?.kernel
  if (kernel && !kernel.is_connected()) kernel.reconnect()
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
