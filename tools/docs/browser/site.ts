/** What the pages do beyond being read: search, and copy buttons. */
import { readWords, type SearchResult, searchSections, type Section } from '../search.ts'

const top = document.documentElement.dataset['top'] ?? '.'

addSearch()
for (const block of document.querySelectorAll('pre')) addCopyButton(block)
followOutline()
showPlace()

function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  for (const child of children) element.append(child)
  return element
}

function addSearch(): void {
  const input = create('input', {
    type: 'search',
    placeholder: 'Search   /',
    'aria-label': 'Search the guides',
    'aria-controls': 'results',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const count = create('p', { role: 'status' })
  const list = create('ol', {})
  const results = create('section', { id: 'results', 'aria-label': 'Search results' }, [
    count,
    list,
  ])
  results.hidden = true
  const box = document.querySelector('#search')
  box?.append(input, results)
  const show = async () => {
    const query = input.value
    const found = searchSections(await loadSections(), query)
    // Somebody typed on while the index was loaded.
    if (input.value !== query) return
    results.hidden = readWords(query).length === 0
    count.textContent =
      found.length === 0
        ? 'Nothing has all of these words.'
        : `${found.length} ${found.length === 1 ? 'place' : 'places'}`
    list.replaceChildren()
    for (const result of found) list.append(renderResult(result, readWords(query)))
  }
  input.addEventListener('focus', () => void loadSections())
  input.addEventListener('input', () => void show())
  if (box) addSearchKeys(box, input, results)
}

function addSearchKeys(box: Element, input: HTMLInputElement, results: HTMLElement): void {
  const close = () => {
    results.hidden = true
  }
  const move = (by: number) => {
    const stops: HTMLElement[] = [input, ...results.querySelectorAll('a')]
    const at = stops.findIndex((one) => one === document.activeElement)
    stops[Math.min(stops.length - 1, Math.max(0, at + by))]?.focus()
  }
  box.addEventListener('keydown', (event) => {
    const { key } = event as KeyboardEvent
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault()
      move(key === 'ArrowDown' ? 1 : -1)
    } else if (key === 'Enter' && document.activeElement === input)
      results.querySelector('a')?.click()
    else if (key === 'Escape') {
      input.value = ''
      input.focus()
      close()
    }
  })
  document.addEventListener('click', ({ target }) => {
    // A result on this page moves only the view.
    const isResult = target instanceof Element && target.closest('#results a') !== null
    if (isResult || (target instanceof Node && !box.contains(target))) close()
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = document.activeElement === input
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    input.focus()
  })
}

let loading: Promise<readonly Section[]> | undefined

/** Only who searches loads it. */
function loadSections(): Promise<readonly Section[]> {
  loading ??= new Promise((done, fail) => {
    const script = create('script', { src: `${top}/search-index.js` })
    script.addEventListener('load', () =>
      done((globalThis as { plimsollSections?: readonly Section[] }).plimsollSections ?? []),
    )
    script.addEventListener('error', () => {
      loading = undefined
      fail(new Error('The index of the search could not be loaded.'))
    })
    document.head.append(script)
  })
  return loading
}

function renderResult({ section, excerpt }: SearchResult, words: readonly string[]): HTMLElement {
  const { address, anchor, page, heading, depth } = section
  const link = create('a', { href: `${top}/${address}${depth === 1 ? '' : `#${anchor}`}` }, [
    create('strong', {}, mark(heading, words)),
    ...(depth === 1 ? [] : [create('span', {}, [page])]),
  ])
  return create('li', {}, [link, create('p', {}, mark(excerpt, words))])
}

function mark(text: string, words: readonly string[]): (Node | string)[] {
  const escaped = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  const parts = text.split(new RegExp(`(${escaped.join('|')})`, 'gi'))
  return parts.map((part, index) => (index % 2 === 1 ? create('mark', {}, [part]) : part))
}

const SHOWN_MS = 2_000

function addCopyButton(block: HTMLPreElement): void {
  const button = create('button', { type: 'button', class: 'copy', 'aria-live': 'polite' }, [
    'Copy',
  ])
  button.addEventListener('click', () => {
    const text = block.textContent.replace(/\n$/, '')
    void copy(text).then((isCopied) => {
      button.textContent = isCopied ? 'Copied' : 'Not copied: select the text'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, SHOWN_MS)
    })
  })
  const around = create('div', { class: 'code' })
  block.replaceWith(around)
  around.append(block, button)
}

/** Browsers give no clipboard to pages that came over HTTP from another machine. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = create('textarea', { 'aria-hidden': 'true' })
    area.value = text
    const { activeElement } = document
    document.body.append(area)
    area.select()
    // The only way left there.
    // oxlint-disable-next-line typescript/no-deprecated
    const isCopied = document.execCommand('copy')
    area.remove()
    if (activeElement instanceof HTMLElement) activeElement.focus()
    return isCopied
  }
}

/** Marks the heading that is read. */
function followOutline(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('nav.outline a')].map((link) => [
      decodeURIComponent(link.hash.slice(1)),
      link,
    ]),
  )
  const headings = [...document.querySelectorAll<HTMLElement>('main :is(h2, h3)[id]')]
  const update = () => {
    const read = headings.findLast((one) => one.getBoundingClientRect().top < 120)
    for (const [anchor, link] of links)
      if (anchor === read?.id) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
  }
  if (links.size === 0) return
  document.addEventListener('scroll', update, { passive: true })
  update()
}

/** The list of all pages is longer than most windows. */
function showPlace(): void {
  const pages = document.querySelector('#pages')
  const place = pages?.querySelector<HTMLElement>('[aria-current]')
  if (pages && place) pages.scrollTop = place.offsetTop - pages.clientHeight / 2
}
