/** Lines of the log for people at a terminal. Everywhere else the log is JSON. */

const LEVELS: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}
type Colour = 'dim' | 'yellow' | 'red'
const COLOURS: Readonly<Record<string, Colour>> = {
  TRACE: 'dim',
  DEBUG: 'dim',
  WARN: 'yellow',
  ERROR: 'red',
  FATAL: 'red',
}
const LEVEL_WIDTH = 5

/** `10:15:00 WARN  record skipped  source=nvd file="a b.json"`, and the stack of an error below. */
export function formatLogLine(
  json: string,
  paint: (colour: Colour, text: string) => string,
): string {
  const entry = parse(json)
  if (!entry) return json
  const { level, time, msg, err, ...fields } = entry
  const name = LEVELS[Number(level)] ?? String(level)
  const colour = COLOURS[name]
  const shown = name.padEnd(LEVEL_WIDTH)
  const parts = [
    readTime(time),
    colour ? paint(colour, shown) : shown,
    ...(typeof msg === 'string' ? [safe(msg)] : []),
    ...Object.entries(fields).map(([key, value]) => ` ${key}=${valueText(value)}`),
  ]
  return `${parts.join(' ').trimEnd()}\n${errorText(err)}`
}

function parse(json: string): Record<string, unknown> | undefined {
  try {
    const entry: unknown = JSON.parse(json)
    return typeof entry === 'object' && entry !== null ? { ...entry } : undefined
  } catch {
    return undefined
  }
}

/** The time of day (UTC) of an ISO 8601 time. */
function readTime(time: unknown): string {
  return typeof time === 'string' ? time.slice(11, 19) : ''
}

function valueText(value: unknown): string {
  if (typeof value === 'string' && /^[\w./:@-]+$/.test(value)) return value
  return safe(JSON.stringify(value) ?? '')
}

function errorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const { stack, message } = error as { stack?: unknown; message?: unknown }
  const text = typeof stack === 'string' ? stack : typeof message === 'string' ? message : ''
  return text === '' ? '' : `${text.split('\n').map(indented).join('\n')}\n`
}

const indented = (line: string) => `    ${safe(line)}`

/** Texts of devices and documents must not steer the terminal (ECMA-48). */
function safe(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\uFFFD')
}
