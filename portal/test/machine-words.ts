import type { Page } from 'playwright-core'

/** A word that shouts, `NotAffected`, `not_affected`, `bulkIgnore`, `NOT_SET`, a part of a pattern, a value that is none. */
const MACHINE_WORDS =
  /\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Za-z]+_\w+|undefined|NaN|null)\b|\[object \w+\]|\^\[|\\[dws]|\p{L}!(?=\s|$)/gu
/** Names that are written so, and those in the records of the tests. */
const NAMES = new Set(
  'CycloneDX PyPI OpenVEX hawkBit KiB MiB GiB OpenSSL OpenPGP QoS GLIBC_TUNABLES nf_tables'.split(
    ' ',
  ),
)

/** How no German writes: "28 Nov", "Nov 28", "9:30 PM", "1,204", "1.5 %", "2026-11-28" where no instant in UTC follows. */
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)'
const NOT_GERMAN = new RegExp(
  [
    `\\b\\d{1,2} ${MONTH}\\b`,
    `\\b${MONTH} \\d{1,2}\\b`,
    String.raw`\d\s?[AP]M\b`,
    String.raw`\b\d{1,3}(?:,\d{3})+\b`,
    String.raw`(?<![\d.])\d+\.\d+ ?(?:%|(?:[KMG]iB|k?B|m?s|hours|days)\b)`,
    String.raw`\b20\d\d-\d\d-\d\d\b(?! \d\d:\d\d UTC)`,
  ].join('|'),
  'g',
)

/** Dates and numbers that stay as others write them for a reader whose browser is set to German. */
export async function foreignFormatsOf(page: Page): Promise<string[]> {
  return (await textsOf(page)).flatMap((text) => text.match(NOT_GERMAN) ?? [])
}

/** Words of programs that a page says to people, outside of code. */
export async function machineWordsOf(page: Page): Promise<string[]> {
  const found = (await textsOf(page)).flatMap((text) => text.match(MACHINE_WORDS) ?? [])
  return found.filter((word) => !NAMES.has(word))
}

/** All that a page says to people, also to screen readers, outside of code. */
function textsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isCode = (element: Element) =>
      element.closest('[translate=no]') !== null ||
      getComputedStyle(element).fontFamily.includes('Mono')
    const found: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode
      if (parentElement?.matches('noscript') === false && !isCode(parentElement))
        found.push(textContent ?? '')
    }
    for (const name of ['aria-label', 'title', 'placeholder'])
      for (const element of document.querySelectorAll(`[${name}]`))
        if (!isCode(element)) found.push(element.getAttribute(name) ?? '')
    return found
  })
}
