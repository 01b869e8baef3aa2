import { invalid } from '../../platform/errors.ts'

const MOST_CHARACTERS = 200
/** It stands in subjects and on one line: no control characters, and none that turn the direction of others. */
const NO_LINE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u

/** What a person calls a rule, without spaces around it. */
export function readName(given: string): string {
  const name = given.trim()
  if (name === '') throw invalid('A rule needs a name.', '/name')
  if (name.length > MOST_CHARACTERS)
    throw invalid(`The name may have ${MOST_CHARACTERS} characters at the most.`, '/name')
  if (NO_LINE.test(name))
    throw invalid(
      'The name has to be one line: it holds a line break, or a character nobody sees.',
      '/name',
    )
  return name
}
