/** Problems of the API as people read them: fields by their names on the page, not by JSON pointers. */

interface Problem {
  status?: number
  detail: string
  errors: readonly { pointer: string; detail: string }[]
}

/** What fields are called where that is not their name in the API. */
const NAMES: Readonly<Record<string, string>> = { slug: 'Short name' }

const PRECONDITION_FAILED = 412

/** The detail of the service; each field that is not in it follows. */
export function describeProblem({ status, detail, errors }: Problem): string {
  if (status === PRECONDITION_FAILED)
    return 'Somebody else has changed it meanwhile. Load the page again to see it, and repeat your change.'
  const isListed = errors.some((one) => detail === sentence(one.pointer, one.detail))
  const others = errors.filter((one) => isListed || !detail.includes(one.detail))
  const fields = others.map((one) => sentence(describePointer(one.pointer), one.detail))
  return [...(isListed ? [] : [detail]), ...fields].join(' ')
}

/** What is wrong with one field, or `group/field`, as it stands beside it. It may be anywhere in what was sent. */
export function describeField({ errors }: Problem, name: string): string | undefined {
  const faults = errors.flatMap(({ pointer, detail }) => {
    const [, inside] = `${pointer}/`.split(`/${name}/`)
    if (inside === undefined) return []
    const parts = inside.split('/').filter((part) => part !== '')
    return [capitalize([...parts.map(describeKey), endSentence(detail)].join(' '))]
  })
  return faults.length === 0 ? undefined : faults.join(' ')
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const sentence = (place: string, detail: string) =>
  `${place || 'The request'} ${endSentence(detail)}`

const endSentence = (text: string) => (text.endsWith('.') ? text : `${text}.`)

/** `/quietHours/from` is "Quiet hours, from", `/tags/0` is "Tags, entry 1". */
function describePointer(pointer: string): string {
  const [first = '', ...rest] = pointer
    .replace(/^\/query/, '')
    .split('/')
    .slice(1)
    .map(describeKey)
  return [capitalize(first), ...rest].join(', ')
}

export function describeKey(key: string): string {
  if (/^\d+$/.test(key)) return `entry ${Number(key) + 1}`
  return NAMES[key] ?? key.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
