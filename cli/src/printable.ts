/**
 * Shows breaks of lines and tabs, which texts of people have, as a space, and other control characters (ECMA-48) and marks of text
 * direction (Unicode UAX 9) as U+FFFD. Names come from documents of unknown authors and could otherwise rewrite the terminal.
 */
export function sanitise(text: string): string {
  return text.replaceAll(/[\t\n\r]+/g, ' ').replaceAll(UNPRINTABLE, '\ufffd')
}

/** The same for many lines: their breaks and tabs stay. */
export function sanitiseLines(text: string): string {
  return text.replaceAll(UNPRINTABLE, (character) =>
    character === '\n' || character === '\t' ? character : '\ufffd',
  )
}

const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
