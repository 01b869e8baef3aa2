/** Whether people gave a firmware version the name that its image states. */

/** `v2.4`, `2.4.0` and `2.4.0+0` are one version; `2.4.0+7` and `2.4.0-rc1` are others. */
export const isSameVersion = (name: string, stated: string): boolean =>
  simplify(name) === simplify(stated)

function simplify(version: string): string {
  const [, numbers = '', rest = ''] = /^[vV]?(\d+(?:\.\d+)*)?(.*)$/s.exec(version.trim()) ?? []
  const shortest = numbers.replace(/(?:\.0+)+$/, '')
  return rest === '+0' ? shortest : shortest + rest
}
