import type { Page } from 'playwright-core'

/** `NotAffected`, `not_affected`, `bulkIgnore`, `NOT_SET`, a part of a pattern, a value that is none. */
const MACHINE_WORDS =
  /\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Za-z]+_\w+|undefined|NaN|null)\b|\[object \w+\]|\^\[|\\[dws]/g
/** Names that are written so, and those in the records of the tests. */
const NAMES = new Set(
  'CycloneDX PyPI OpenVEX hawkBit KiB MiB GiB OpenSSL QoS GLIBC_TUNABLES nf_tables'.split(' '),
)

/** Words of programs that a page says to people, outside of code. */
export async function machineWordsOf(page: Page): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const isCode = (element: Element) => getComputedStyle(element).fontFamily.includes('Mono')
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
  return texts.flatMap((text) => text.match(MACHINE_WORDS) ?? []).filter((word) => !NAMES.has(word))
}
