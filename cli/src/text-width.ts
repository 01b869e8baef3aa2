/** How many columns of a terminal a text takes. */
import { loadStringWidth } from './string-width.ts'

/** Beside Latin letters, dashes, quotation marks and arrows, of which each takes one column whatever stands beside it. */
const OTHER = /[^\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u2193]/

let measureOther: ReturnType<typeof loadStringWidth> | undefined

export function measureText(text: string): number {
  if (!OTHER.test(text)) return text.length
  measureOther ??= loadStringWidth()
  return measureOther(text)
}
