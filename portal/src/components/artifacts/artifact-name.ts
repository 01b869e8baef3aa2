/** Files of a version by their role, as pages say it. */

interface Role {
  role: string
  /** null or undefined: it is of no delta, or the version is not here any more. */
  baseVersion?: string | null | undefined
}

export function describeRole({ role, baseVersion }: Role): string {
  if (role === 'image') return 'Full image'
  if (role !== 'delta') return role
  return baseVersion === null || baseVersion === undefined ? 'Delta' : `Delta from ${baseVersion}`
}
