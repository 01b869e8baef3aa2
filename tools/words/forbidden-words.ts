/** The words that the glossary forbids, and where texts have them. */
import type { Text } from './find-texts.ts'

export interface ForbiddenWords {
  /** Each form by itself: `fires`, `fire`. */
  not: string[]
  but: string
  because: string
}

/** The table "Words we do not use" of docs/glossary.md. */
export function parseForbiddenWords(glossary: string): ForbiddenWords[] {
  const [, section = ''] = glossary.split('## Words we do not use')
  const rows = section.split('\n').flatMap((line) => {
    const [, not, but, because] = line.split('|').map((cell) => cell.trim())
    return not && but && because ? [{ not: not.split(', '), but, because }] : []
  })
  // The first two rows are the head and the line below it.
  return rows.slice(2)
}

/** Code, and `<email>` and `--color`, which are names of values and flags. */
const NAMES = /`[^`]*`|<[^<>]*>|--[a-z-]+/g

export function findForbiddenWords(texts: Text[], words: readonly ForbiddenWords[]): string[] {
  return words.flatMap(({ not, but, because }) => {
    const pattern = new RegExp(`(?<![\\w-])(?:${not.join('|')})(?![\\w-])`, 'i')
    return texts.flatMap(({ line, text }) => {
      const found = pattern.exec(text.replaceAll(NAMES, ''))?.[0]
      return found === undefined ? [] : [`${line}: “${found}”, but say ${but}: ${because}`]
    })
  })
}
