/** Warnings for people, counted by kind so that a file with 100,000 faults stays readable. */
import { shortenText } from '../shorten.ts'

const MAX_WARNINGS = 50
const MAX_QUOTED_LENGTH = 80

export interface Warnings {
  /** `fault` is a sentence without its full stop, the same for every fault of this kind; `where` is an example. */
  add: (fault: string, where?: string) => void
  list: () => string[]
}

interface Fault {
  count: number
  first: string | undefined
}

export function createWarnings(): Warnings {
  const faults = new Map<string, Fault>()
  return {
    add(fault, where) {
      const known = faults.get(fault)
      if (known) known.count += 1
      else faults.set(fault, { count: 1, first: where })
    },
    list: () => describeFaults(faults),
  }
}

function describeFaults(faults: ReadonlyMap<string, Fault>): string[] {
  const sentences = [...faults].map(([fault, { count, first }]) => {
    const where = first === undefined ? '' : `: ${first}`
    return `${fault}${where}${count > 1 ? ` and ${count - 1} more` : ''}.`
  })
  if (sentences.length <= MAX_WARNINGS) return sentences
  const rest = sentences.length - MAX_WARNINGS + 1
  return [...sentences.slice(0, MAX_WARNINGS - 1), `And ${rest} further kinds of fault.`]
}

/** Prepares a value for a message: quoted, control characters escaped, shortened. */
export function quote(value: unknown): string {
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'a list' : 'an object'
  const text = String(value)
  if (value === undefined) return 'none stated'
  const short = shortenText(text, MAX_QUOTED_LENGTH)
  return typeof value === 'string' ? JSON.stringify(short) : short
}
