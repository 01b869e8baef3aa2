/** What an audit entry changed, member by member. */

export interface ChangedMember {
  name: string
  before: string
  after: string
}

/** Members that are equal are left out; `–` stands for none. */
export function listChangedMembers(before: unknown, after: unknown): ChangedMember[] {
  const old = membersOf(before)
  const now = membersOf(after)
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((name) => ({ name, before: textOf(old.get(name)), after: textOf(now.get(name)) }))
    .filter((one) => one.before !== one.after)
}

function membersOf(value: unknown): Map<string, unknown> {
  if (value === null || value === undefined) return new Map()
  return typeof value === 'object' ? new Map(Object.entries(value)) : new Map([['value', value]])
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
