/** A table of Markdown, as the formatter pads it. */
export function writeTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => cell.replaceAll('|', String.raw`\|`)),
  )
  const widths = head.map((_, column) =>
    cells.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 3),
  )
  const writeLine = (row: readonly string[]) =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  const [first = '', ...others] = cells.map(writeLine)
  return [first, rule, ...others].join('\n')
}
