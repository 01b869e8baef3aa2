/** The key of the same product under any vendor; undefined where a key has no vendor to leave out. */
export function productKeyOf(key: string): string | undefined {
  if (key.startsWith('cpe:')) return `cpe:*:${key.slice(key.indexOf(':', 4) + 1)}`
  if (key.startsWith('name:')) return `name:*/${key.slice(key.indexOf('/') + 1)}`
  return undefined
}
