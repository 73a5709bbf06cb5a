// What is said in the pages of a session, as text. The functions know nothing of the page.

const stopNotice = 600 // seconds before an idle session stops at which the strip comes back to whoever hid it

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

/** A size in bytes with a binary unit, as the page writes it: see fileSize in web/src/lib/measures.ts. */
export function sizeOf(bytes) {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
  const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  let [value, unit] = [bytes / 1024, 0]
  while (value >= 1023.5 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1]
  return `${value < 100 ? Math.round(value * 10) / 10 : Math.round(value)} ${units[unit]}`
}

/** How long something takes, for people. */
export function span(seconds) {
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

export const fileOf = (pathname, id) => decodeURIComponent(pathInside(pathname, id).match(/^(?:(?:nbclassic\/)?notebooks|lab\/tree|doc\/tree)\/(.+\.ipynb)$/)?.[1] ?? '')

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
export function momentOf(at) {
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
