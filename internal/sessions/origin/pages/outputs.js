// Runs in the pages of Jupyter Notebook (6, and nbclassic) and shows what cells have printed while no page was open. The session's
// server keeps it (package broker): over the connection of the kernel, this tells it from which cell code comes, and asks it what the cells
// of the notebook show once the page has a connection. Messages that begin with "cairn_" never reach a kernel.

const patience = 60_000 // milliseconds for the page to load

/** A text that is the same for outputs that are: lists of lines are joined, and what is missing is empty. */
export function written(outputs) {
  const plain = (value) => (Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join('') : value)
  const sorted = (_, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'transient').sort().map(([name, one]) => [name, plain(one)]))
      : value
  return JSON.stringify(outputs, sorted)
}

/** The cell of an execution: the one with its id, else the nearest with its code. */
export function cellOf(cells, { cell: place, code }) {
  const codes = cells.map((cell, index) => ({ cell, index })).filter(({ cell }) => cell.cell_type === 'code')
  const named = place?.id && codes.find(({ cell }) => cell.id === place.id)
  if (named) return named.cell
  const distance = ({ index }) => (place?.index >= 0 ? Math.abs(index - place.index) : index)
  const same = codes.filter(({ cell }) => cell.get_text() === code)
  return same.sort((one, other) => distance(one) - distance(other))[0]?.cell
}

const span = (milliseconds) => {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 6) / 10} h`
}

/** What a cell says of an execution that nobody has seen; "" is nothing. */
export function noteOf({ status, seen, began, ended, input }, wasRunning) {
  if (input) return 'This cell is waiting for your input.'
  if (!status || (seen && !wasRunning)) return ''
  switch (status) {
    case 'ok':
      return `Finished while you were away${began ? `, in ${span(Date.parse(ended) - Date.parse(began))}` : ''}.`
    case 'error':
      return 'Failed while you were away.'
    case 'aborted':
      return 'Not executed, because a cell before it failed while you were away.'
  }
  return 'The kernel ended while you were away, before this cell had finished.'
}

/** Keeps a notebook's cells and what the server knows of them together. */
export class Outputs {
  #notebook
  #asking = false

  constructor(notebook) {
    this.#notebook = notebook
    const { events } = notebook
    events.on('execute.CodeCell', (_, { cell }) => this.#tellPlace(cell))
    events.on('kernel_connected.Kernel', () => this.attach())
    // Code that another page, or the server, has sent: its cell is ours too.
    events.on('received_unsolicited_message.Kernel', () => this.attach())
    this.attach()
  }

  get #kernel() {
    return this.#notebook.kernel
  }

  #send(type, content) {
    const kernel = this.#kernel
    kernel._send(JSON.stringify({ ...kernel._get_msg(type, content), channel: 'shell' }))
  }

  #tellPlace(cell) {
    cell.element[0].querySelector('.cairn-note')?.remove()
    if (!cell.last_msg_id) return
    this.#send('cairn_cell', { request: cell.last_msg_id, cell: { id: cell.id ?? '', index: this.#notebook.find_cell_index(cell) } })
  }

  /** Asks what the cells show; the answer comes in its place among what the kernel says. */
  attach() {
    const kernel = this.#kernel
    if (this.#asking || !kernel?.is_connected()) return
    this.#asking = true
    kernel.register_iopub_handler('cairn_executions', ({ content }) => {
      this.#asking = false
      this.#follow(content.files)
      for (const execution of content.executions) this.#show(execution)
    })
    kernel.register_iopub_handler('cairn_rewrites', ({ content }) => this.#follow(content.files))
    kernel.events.one('kernel_disconnected.Kernel', () => (this.#asking = false))
    this.#send('cairn_attach', {})
  }

  /** Outputs that the server wrote into the file don't count as somebody else's change, so the page doesn't ask about them. */
  #follow(files) {
    for (const { before, after } of files ?? []) {
      if (this.#notebook.last_modified && +this.#notebook.last_modified === Date.parse(before)) {
        this.#notebook.last_modified = new Date(after)
      }
    }
  }

  #show(execution) {
    const notebook = this.#notebook
    const kernel = this.#kernel
    const { id, cell: place, code, count, status, outputs, input } = execution
    const cells = notebook.get_cells()
    const known = cells.find((one) => one.last_msg_id === id)
    let cell = known ?? cellOf(cells, execution)
    if (!cell && !place) return // of a console, or of an editor
    if (!cell) {
      cell = notebook.insert_cell_at_index('code', place.index >= 0 ? Math.min(place.index, cells.length) : cells.length)
      cell.set_text(code)
    }
    if (!known && cell.last_msg_id && cell.element.hasClass('running')) return // it runs again already
    const wasRunning = Boolean(known) && cell.element.hasClass('running')
    const isShown = status && cell.input_prompt_number === count && written(cell.output_area.toJSON()) === written(outputs)
    if (!isShown) {
      cell.clear_output(false, true)
      cell.last_msg_id = id
      kernel.set_callbacks_for_msg(id, cell.get_callbacks())
      for (const output of outputs) {
        kernel._handle_output_message({ header: { msg_type: output.output_type }, parent_header: { msg_id: id }, metadata: {}, content: output })
      }
      cell.set_input_prompt(status ? count : '*')
      cell.element.toggleClass('running', !status)
      if (input) kernel._handle_input_request({ ...input, msg_type: 'input_request' })
    }
    this.#mark(cell, noteOf(execution, wasRunning))
  }

  #mark(cell, text) {
    const element = cell.element[0]
    element.querySelector('.cairn-note')?.remove()
    if (!text) return
    const note = Object.assign(document.createElement('div'), { className: 'cairn-note', textContent: text })
    note.setAttribute('role', 'note')
    element.querySelector('.inner_cell')?.append(note)
  }
}

function begin() {
  const style = new CSSStyleSheet()
  style.replaceSync('.cairn-note { margin: 4px 0; padding: 2px 8px; border-left: 3px solid #1a7f37; color: #1b4d2b; background: #eaf6ec; font-size: 13px }')
  document.adoptedStyleSheets.push(style)
  const deadline = Date.now() + patience
  const look = () => {
    const notebook = globalThis.Jupyter?.notebook
    if (notebook?._fully_loaded) new Outputs(notebook)
    else if (Date.now() < deadline) setTimeout(look, 50)
  }
  look()
}

if (globalThis.document && /\/notebooks\//.test(location.pathname)) begin()
