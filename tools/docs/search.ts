/** Searches the documentation, in the reader's browser: it reads every section, as decision 70 says why. */

export interface Section {
  /** Of its page, in the site. */
  address: string
  /** The title of its page. */
  page: string
  anchor: string
  /** Of its heading; 1 is the title. */
  depth: number
  heading: string
  text: string
}

export interface SearchResult {
  section: Section
  /** A part of the text, with the words that were found. */
  excerpt: string
}

const MOST_RESULTS = 30
const MOST_OF_A_PAGE = 3
/** What developers of Plimsoll read stands behind what its users read. */
const FOR_DEVELOPERS = /^(?:design|decisions)\/|^(?:changelog|contributing|architecture)\.html/
const WORTH = { heading: 12, page: 6, phrase: 6, text: 1, mostInText: 4 }

export function readWords(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean)
}

/** Sections that have all words, the best first. A word may be any part of a name, such as `PUBLIC_URL`. */
export function searchSections(sections: readonly Section[], query: string): SearchResult[] {
  const words = readWords(query)
  if (words.length === 0) return []
  const found = sections
    .map((section) => ({ section, worth: weigh(section, words) }))
    .filter(({ worth }) => worth > 0)
    .toSorted((one, other) => other.worth - one.worth)
  const ofPage = new Map<string, number>()
  return found
    .filter(({ section: { address } }) => {
      const count = (ofPage.get(address) ?? 0) + 1
      ofPage.set(address, count)
      return count <= MOST_OF_A_PAGE
    })
    .slice(0, MOST_RESULTS)
    .map(({ section }) => ({ section, excerpt: cutExcerpt(section.text, words) }))
}

/** 0: one of the words is not there. */
function weigh(section: Section, words: readonly string[]): number {
  const [heading, page, text] = [section.heading, section.page, section.text].map((one) =>
    one.toLowerCase(),
  ) as [string, string, string]
  let worth = 0
  for (const word of words) {
    const ofWord =
      WORTH.heading * countStarts(heading, word, 1) +
      WORTH.page * countStarts(page, word, 1) +
      WORTH.text * countStarts(text, word, WORTH.mostInText)
    if (ofWord === 0) return 0
    worth += ofWord
  }
  const phrase = words.join(' ')
  if (words.length > 1 && `${heading} ${text}`.includes(phrase)) worth += WORTH.phrase
  return FOR_DEVELOPERS.test(section.address) ? worth / 4 : worth
}

/** Within a word counts half as much as at its start. */
function countStarts(text: string, word: string, most: number): number {
  let count = 0
  for (let at = text.indexOf(word); at >= 0 && count < most; at = text.indexOf(word, at + 1))
    count += at === 0 || !/[\p{Letter}\p{Number}]/u.test(text[at - 1] ?? '') ? 1 : 0.5
  return count
}

const EXCERPT = { before: 50, length: 180 }

function cutExcerpt(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  // The word that comes last is the rarest, mostly: everything here speaks of devices.
  const first = words.reduce((most, word) => Math.max(most, lower.indexOf(word)), 0)
  const from = first <= EXCERPT.before ? 0 : text.indexOf(' ', first - EXCERPT.before) + 1
  const to = from + EXCERPT.length
  return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`
}
