/** How answers are written that are not tables: JSON, YAML, CSV, or what an expression of jq makes of them. */
import { type Command, Option } from 'commander'
import { type CsvCell, formatCsv } from '../../api-client/src/index.ts'
import { usageError } from './failure.ts'
import { checkExpression, filterByJq } from './jq.ts'
import { sanitiseLines } from './printable.ts'
import { ANSWER_FORMATS, type AnswerFormat, getTerminal } from './terminal.ts'
import { formatYaml } from './yaml.ts'

/** The options that any command has, in a group of its help. */
export function withAnswerFormat(command: Command, group: string): Command {
  const options = [
    new Option('-o, --as <format>', 'answer as json, yaml, csv, or wide: a table of all columns')
      .choices(ANSWER_FORMATS)
      .conflicts(['json', 'csv', 'quiet']),
    new Option('--jq <expression>', 'the JSON through an expression of jq').conflicts([
      'csv',
      'quiet',
    ]),
  ]
  for (const option of options) command.addOption(option.helpGroup(group))
  return command.hook('preAction', (_, action) => chooseFormat(action))
}

/** Commands know `--json` and `--csv`; the rest is decided here and where answers are printed. */
function chooseFormat(command: Command): void {
  const { as, jq } = command.opts<AnswerFormat>()
  if (jq !== undefined && as !== undefined && as !== 'json')
    throw usageError(`--jq answers as JSON: leave -o ${as} out.`)
  if (jq !== undefined) checkExpression(jq)
  getTerminal().format = { ...(as && { as }), ...(jq !== undefined && { jq }) }
  const isList = command.options.some(({ long }) => long === '--csv')
  if (as === 'csv' && isList) command.setOptionValue('csv', true)
  else if ((as !== undefined && as !== 'wide') || jq !== undefined)
    command.setOptionValue('json', true)
}

/** Whether the answer can be written as it arrives. */
export function isPlainJson(): boolean {
  const { as = 'json', jq } = getTerminal().format
  return as === 'json' && jq === undefined
}

export function formatAnswer(answer: unknown, rows: unknown): string {
  const { stdout, format } = getTerminal()
  if (format.jq !== undefined) {
    const text = filterByJq(answer, format.jq)
    // Texts of unknown authors are written as they are: to a program whole, to a terminal without what rewrites it.
    return stdout.isTTY ? sanitiseLines(text) : text
  }
  if (format.as === 'yaml') return formatYaml(answer)
  if (format.as === 'csv') return formatTable(rows)
  return `${JSON.stringify(answer)}\n`
}

/** A row for each object of a list, or one; what is nested is JSON. */
function formatTable(answer: unknown): string {
  const rows = (Array.isArray(answer) ? answer : [answer]).map(readMembers)
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return formatCsv([names, ...rows.map((row) => names.map((name) => readCell(row[name])))])
}

const readMembers = (row: unknown): Record<string, unknown> =>
  typeof row === 'object' && row !== null ? { ...row } : { value: row }

function readCell(value: unknown): CsvCell {
  if (typeof value === 'string' || typeof value === 'number') return value
  return value === null || value === undefined ? null : JSON.stringify(value)
}
