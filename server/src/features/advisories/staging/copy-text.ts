/** One row in the text format of PostgreSQL's COPY (Documentation, "COPY", Text Format). */
export function copyRow(values: readonly (string | number | undefined)[]): string {
  return `${values.map(field).join('\t')}\n`
}

function field(value: string | number | undefined): string {
  if (value === undefined) return '\\N'
  if (typeof value === 'number') return String(value)
  if (!/[\\\n\r\t]/.test(value)) return value
  // One sign after another: a function that is called for each sign takes ten times as long.
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
}

/** An array literal of texts, every element quoted. */
export function writeTextArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`
}

/** The values of a row that `copyRow` made, without its line feed. */
export function parseCopiedValues(row: string): (string | undefined)[] {
  return row
    .split('\t')
    .map((value) => (value === '\\N' ? undefined : value.replaceAll(/\\([\\nrt])/g, unescaped)))
}

const SIGNS: Record<string, string> = { n: '\n', r: '\r', t: '\t' }
const unescaped = (_: string, sign: string) => SIGNS[sign] ?? sign
