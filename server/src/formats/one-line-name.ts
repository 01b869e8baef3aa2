/** Names that people give to things. A name is one line, because lists, terminals and the subjects of mails show it. */
import { invalid } from '../platform/errors.ts'

const NAME_CHARACTERS = 200

const CONTROLS_AND_SEPARATORS = /[\p{Cc}\p{Zl}\p{Zp}]/u

/**
 * What nobody sees, by which two names could look alike: characters that are not drawn (Unicode, Default_Ignorable_Code_Point:
 * zero-width, direction, fillers, selectors, tags), other format characters, what is no character, and the blanks of Braille and of music. U+200C, U+200D and the
 * variation selectors of emoji are allowed between visible characters beyond ASCII: Persian and Indic scripts and emoji need them.
 */
const VISIBLE = String.raw`[^\p{C}\p{Z}\p{DI}\0-\x7f]`
const JOINER = String.raw`(?:\u200c|\u200d)`
const SELECTOR = String.raw`(?:\ufe0e|\ufe0f)`
const INVISIBLE = new RegExp(
  [
    String.raw`(?!${JOINER}|${SELECTOR})(?:[\p{Cf}\p{DI}\p{Cs}\p{NChar}]|\u2800|\u{1d159})`,
    `(?<!${VISIBLE}${SELECTOR}?)${JOINER}`,
    `${JOINER}(?!${VISIBLE})`,
    `(?<!${VISIBLE})${SELECTOR}`,
  ].join('|'),
  'u',
)

/** They look like the plain space. */
const OTHER_SPACE = /(?! )\p{Zs}/u

const AROUND = /^[\s\ufeff]+|[\s\ufeff]+$/gu

/** In the form that texts are compared in: what looks alike by composition is alike (Unicode NFC), and nothing is around it. */
function withoutAround(text: string): string {
  return text.normalize('NFC').replaceAll(AROUND, '')
}

/** Why a text cannot be a name; undefined: it can. */
export function findNameFault(text: string, most = NAME_CHARACTERS): string | undefined {
  const name = withoutAround(text)
  if (name === '') return 'The name is empty.'
  if (name.length > most) return `The name is longer than ${most} characters.`
  const line = CONTROLS_AND_SEPARATORS.exec(name)
  if (line) return `The name has a line break or a control character (${formatCodePoint(line)}).`
  const unseen = INVISIBLE.exec(name)
  if (unseen) return `The name has an invisible character (${formatCodePoint(unseen)}).`
  const space = OTHER_SPACE.exec(name)
  if (space) return `The name has a space other than the plain one (${formatCodePoint(space)}).`
  return undefined
}

const formatCodePoint = ([character]: RegExpExecArray) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** The name in NFC, without spaces around it; throws `invalid` at the pointer when the text cannot be a name. */
export function readName(text: string, pointer = '/name', most = NAME_CHARACTERS): string {
  const fault = findNameFault(text, most)
  if (fault !== undefined) throw invalid(fault, pointer)
  return withoutAround(text)
}

const UNSEEN = new RegExp(`${CONTROLS_AND_SEPARATORS.source}|${INVISIBLE.source}`, 'gu')

/**
 * The name that a machine means, which reports what a file of its build holds: `2.0\r\n` is 2.0. Nobody can be asked, so what
 * a name cannot have is left out. A text of nothing else stays.
 */
export function cleanName(text: string): string {
  const shown = text
    .normalize('NFC')
    .replaceAll(/\p{Zs}/gu, ' ')
    .replaceAll(UNSEEN, '')
  return withoutAround(shown) || text
}
