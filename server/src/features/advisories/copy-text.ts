/** One row in the text format of PostgreSQL's COPY (Documentation, "COPY", Text Format). */
export function copyRow(values: readonly (string | number | undefined)[]): string {
  return `${values.map(field).join('\t')}\n`
}

function field(value: string | number | undefined): string {
  if (value === undefined) return '\\N'
  if (typeof value === 'number') return String(value)
  return /[\\\n\r\t]/.test(value)
    ? value.replaceAll(/[\\\n\r\t]/g, (sign) => ESCAPES.get(sign) ?? sign)
    : value
}

const ESCAPES = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

/** An array literal of texts, every element quoted. */
export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`
}
