/** The code that a person carries from a terminal to the portal: `WDJB-MJHT`. */
import { randomInt } from 'node:crypto'

/** Without vowels, so that no words appear, and without letters that look alike (RFC 8628, section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
const ONLY_LETTERS = new RegExp(`^[${LETTERS}]*$`)

export function createUserCode(): string {
  return shown(Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join(''))
}

/** People leave out the hyphen, and type in lower case. @returns undefined for what no code can be */
export function readUserCode(text: string): string | undefined {
  const letters = text.toUpperCase().replaceAll(/[\s-]/g, '')
  const isCode = letters.length === LENGTH && ONLY_LETTERS.test(letters)
  return isCode ? shown(letters) : undefined
}

function shown(letters: string): string {
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`
}
