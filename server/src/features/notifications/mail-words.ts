/** Texts as a mail may show them. */

/** All that steers, hides or turns text; but for what joins letters of some scripts, and emoji. */
const UNSEEN = /(?:(?![\u200c\u200d])\p{C}|\p{Z})+/gu

/** One line of at most so many characters: names of others stand in subjects and between words of ours. */
export function oneLine(text: string, most: number): string {
  // Not all of a text that is far too long is looked at.
  const line = text
    .slice(0, most * 4)
    .replaceAll(UNSEEN, ' ')
    .trim()
  if (line.length <= most && text.length <= most * 4) return line
  return `${line
    .slice(0, most - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`
}

/**
 * Mail programs make links of whatever looks like one. Those who are asked have agreed to nothing yet, and what they are
 * asked with names of others must not lead anywhere.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll('://', ': //').replaceAll(/(?<=\S)\.(?=[^\s\d.])/g, '. ')
}

/** `2026-08-22 09:30 UTC`: a mail has no time zone of its own. */
export function timeWords(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}
