/** Writes JSON values as YAML 1.2, in block style. */

export function formatYaml(value: unknown): string {
  return `${listLines(value).join('\n')}\n`
}

function listLines(value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((element: unknown) =>
      listLines(element).map((line, at) => `${at === 0 ? '- ' : '  '}${line}`),
    )
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return [formatScalar(value)]
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    if (member === undefined) return []
    const key = `${formatScalar(name)}:`
    if (!isBlock(member)) return [`${key} ${formatScalar(member)}`]
    return [key, ...listLines(member).map((line) => `  ${line}`)]
  })
}

const isBlock = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** Words that older readers of YAML (1.1) take for a boolean or nothing. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i
/** Begins with a letter and has nothing that means something in YAML. */
const PLAIN = /^[a-z](?:[\w ./@+-]*[\w/@+-])?$/i

/** JSON is YAML: what is not plain is written as in JSON. */
function formatScalar(value: unknown): string {
  if (typeof value === 'string' && PLAIN.test(value) && !RESERVED.test(value)) return value
  return JSON.stringify(value ?? null)
}
