/** The mark of a firmware version as a picture with words, for pages of others: no script, no reference to anything. */
import { renderHtml, type Html } from '../../../platform/html.ts'
import type { Mark } from '../mark/mark.ts'

const COLOURS: Record<Mark['state'], string> = {
  Clear: '#297465',
  ToDecide: '#8A5A00',
  Overloaded: '#7A0F3C',
  Unknown: '#5B6875',
}
const PAPER = '#FFFFFF'
const INK = '#16202A'
const MUTED = '#5B6875'

/** A disc of 24 units crossed by a line: above the water, at it, under it, or dashed. */
function drawing(state: Mark['state']): Html {
  const colour = COLOURS[state]
  const line = (y: string, stroke: string, dashes = 'none') =>
    renderHtml`<path d="M0.5 ${y}H23.5" stroke="${stroke}" stroke-dasharray="${dashes}"/>`
  switch (state) {
    case 'Clear':
      return renderHtml`<circle cx="12" cy="12" r="8" stroke="${colour}"/>${line('10.2', colour)}`
    case 'ToDecide':
      return renderHtml`<circle cx="12" cy="12" r="8" stroke="${colour}"/><path d="M4 12a8 8 0 0 0 16 0z" fill="${colour}"/>${line('12', colour)}`
    case 'Overloaded':
      return renderHtml`<circle cx="12" cy="12" r="8.9" fill="${colour}"/>${line('13.9', colour)}<path d="M3.4 13.9H20.6" stroke="${PAPER}"/>`
    case 'Unknown':
      return renderHtml`<circle cx="12" cy="12" r="8" stroke="${colour}" stroke-dasharray="3.3 2.9"/>${line('12', colour, '3.3 2.9')}`
  }
}

const FONT_PX = 12
/** The width of the average character; the text is fitted to it, whatever font the reader has. */
const CHARACTER_PX = 6.6
const MOST_CHARACTERS = 80
const GAP = 8
const HEIGHT = 28

/** XML takes no control characters, and marks of direction would turn the words around. */
// eslint-disable-next-line no-control-regex -- they are what is removed
const UNFIT =
  /[\u0000-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2066-\u2069\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' })
const splitCharacters = (text: string) =>
  Array.from(SEGMENTER.segment(text), ({ segment }) => segment)

function shortened(text: string): string {
  const characters = splitCharacters(text.replaceAll(UNFIT, ' '))
  if (characters.length <= MOST_CHARACTERS) return characters.join('')
  return `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…`
}

const measureWidth = (text: string) => Math.ceil(splitCharacters(text).length * CHARACTER_PX)

/** What is said of support is not cut off with the end of a long sentence. */
function shortenMark({ sentence, supportNote }: Mark): string {
  if (supportNote === undefined) return shortened(sentence)
  const ending = `; ${supportNote}`
  return `${shortened(sentence.slice(0, -ending.length))}${ending}`
}

export function drawBadge(named: string, mark: Mark): string {
  const { state } = mark
  const name = shortened(named)
  const words = shortenMark(mark)
  const [nameWidth, wordsWidth] = [measureWidth(name), measureWidth(words)]
  const nameAt = GAP + 20 + GAP
  const wordsAt = nameAt + nameWidth + GAP
  const width = String(wordsAt + wordsWidth + GAP)
  const text = (at: number, textWidth: number, fill: string, content: string) =>
    renderHtml`<text x="${String(at)}" y="18" fill="${fill}" textLength="${String(textWidth)}" lengthAdjust="spacingAndGlyphs">${content}</text>`
  return renderHtml`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${String(HEIGHT)}" role="img" aria-label="${name}: ${words}"><title>${name}: ${words}</title><rect x="0.5" y="0.5" width="${String(Number(width) - 1)}" height="${String(HEIGHT - 1)}" rx="6" fill="${PAPER}" stroke="#CBD2D8"/><g transform="translate(${String(GAP)} 4) scale(0.8333)" fill="none" stroke-width="1.9">${drawing(state)}</g><g font-family="Inter,system-ui,sans-serif" font-size="${String(FONT_PX)}">${text(nameAt, nameWidth, MUTED, name)}${text(wordsAt, wordsWidth, state === 'Clear' ? INK : COLOURS[state], words)}</g></svg>`.toString()
}
