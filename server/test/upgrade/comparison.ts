/** Compares answers: what was told before an upgrade has to be told after it, too. */

export interface Difference {
  /** The place in the answer (RFC 6901). */
  pointer: string
  before: unknown
  after: unknown
}

/** The value is left out of a recorded answer, as it changes by itself. */
export const VOLATILE = '(changes)'

/** What is not there any more, or is another value. New members of objects are no difference; new entries of lists are. */
export function findDifferences(before: unknown, after: unknown, pointer = ''): Difference[] {
  if (before === VOLATILE) return []
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((entry, index) =>
      findDifferences(entry, after[index], `${pointer}/${index}`),
    )
  if (isObject(before) && isObject(after))
    return Object.entries(before).flatMap(([name, value]) =>
      findDifferences(
        value,
        after[name],
        `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      ),
    )
  return Object.is(before, after) ? [] : [{ pointer, before, after }]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Members that tell which release answers, or that somebody asked. */
const UNFIT = new Set(['tooling', 'lastUsedAt'])

/** The first answer without what the second one has otherwise. */
export function withoutVolatile(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second) && first.length === second.length)
    return first.map((entry, index) => withoutVolatile(entry, second[index]))
  if (isObject(first) && isObject(second))
    return Object.fromEntries(
      Object.entries(first)
        .filter(([name]) => !UNFIT.has(name))
        .map(([name, value]) => [name, withoutVolatile(value, second[name])]),
    )
  return Object.is(first, second) ? first : VOLATILE
}

/** Whether the pattern, a pointer in which `*` stands for any part, names the place or what holds it. */
export function isWithin(pointer: string, pattern: string): boolean {
  const parts = pointer.split('/')
  return pattern
    .split('/')
    .every((part, index) => part === parts[index] || (part === '*' && index < parts.length))
}
