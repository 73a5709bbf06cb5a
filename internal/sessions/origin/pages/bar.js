// The strip at the top of a session's pages: what the session uses, when it stops, who is there, and what the host of its workshop says.

import { companyOf, fileOf, finishOf, keptOf, momentOf, pathInside, savedOf, sizeOf, span, stopTextOf, stripOf, versionsOf, workshopOf } from './words.js'

export function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

const collapsed = 'cairn-session-bar' // in the storage of this browser

/** Draws the strip at the top of the page: in the header of Jupyter's classic pages, else above the application. */
export function strip(folder, id) {
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
  const publish = make('a', { className: 'roomy', target: '_blank', rel: 'noopener' }, 'Publish')
  const hand = make('button', { className: 'small', type: 'button' })
  const sides = make('div', { className: 'sides' }, hand, editor, share, publish, finish, stop, help, hide)
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
    publish.hidden = !last.saving || Boolean(last.workshop)
    publish.href = last.saving?.publish ?? ''
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
      ...(kept && !last.workshop ? [['Publishing', make('span', {}, make('a', { href: kept.publish, target: '_blank', rel: 'noopener' }, 'Make files of this session an entry of the catalog'), ', or a new version of one of yours.')]] : []),
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
