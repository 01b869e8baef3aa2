/**
 * The file that `PLIMSOLL_ENV_FILE` names, such as /etc/plimsoll/plimsoll.env, as the service and the operator's commands read
 * it. It is written as for systemd (systemd.exec(5), EnvironmentFile=): a shell and Node read `#`, `$` and "`" otherwise.
 */
import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'
import { describeFileFailure } from '../platform/file-failure.ts'

const NAME = 'PLIMSOLL_ENV_FILE'
/** Node reads these before it runs this program. PLIMSOLL_NODE is read from the file by what starts Node. */
const TOO_LATE = /^(?:NODE_OPTIONS|NODE_EXTRA_CA_CERTS)$/

/** Blanks and comments between lines, then a name. */
const LINE = /(?:[ \t]*(?:[#;][^\n]*)?\n|[ \t]+)*(?:([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*)?/y
/** Pieces of a value: in single quotes as they are, in double ones with escapes, and without quotes up to the end of the line. */
const PIECE =
  /'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[\s\S])|(?<plain>[^\n'"\\]+|['"])/y

/** Throws a `ConfigError` that names the line. */
export function parseEnvironmentFile(text: string, path: string): Map<string, string> {
  const found = new Map<string, string>()
  const all = `${text.replaceAll('\r\n', '\n')}\n`
  let at = 0
  for (;;) {
    LINE.lastIndex = at
    const [before = '', name] = LINE.exec(all) ?? []
    at += before.length
    if (at >= all.length) return found
    if (name === undefined) {
      const line = all.slice(0, at).split('\n').length
      throw new ConfigError(
        `${path}, line ${line}: a line is NAME=value, or a comment that begins with #. It begins with ${JSON.stringify(all.slice(at).split(/[\s=]/, 1)[0])}.`,
      )
    }
    const { value, end } = readValue(all, at)
    found.set(name, value)
    at = end
  }
}

function readValue(all: string, from: number): { value: string; end: number } {
  let value = ''
  /** Blanks at the end belong to it only in quotes. */
  let kept = 0
  let end = from
  for (;;) {
    PIECE.lastIndex = end
    const match = PIECE.exec(all)
    if (!match?.groups) return { value: value.slice(0, kept) + value.slice(kept).trimEnd(), end }
    const { single, double, escaped, plain } = match.groups
    value += plain ?? single ?? double?.replaceAll(/\\([\s\S])/g, unescape) ?? continued(escaped)
    if (plain === undefined) kept = value.length
    end += match[0].length
  }
}

const unescape = (both: string, one: string) =>
  one === '\n' ? '' : '"\\`$'.includes(one) ? one : both

const continued = (escaped = '') => (escaped === '\n' ? '' : escaped)

const origins = new Map<string, string>()

/** Where a variable was set, for `config check`. */
export const findOrigin = (name: string) => origins.get(name) ?? 'environment'

/** Variables of the environment come before those of the file. */
export function applyEnvironmentFile(environment = process.env): void {
  const path = environment[NAME]
  if (!path) return
  for (const [name, value] of parseEnvironmentFile(read(path), path)) {
    if (TOO_LATE.test(name))
      throw new ConfigError(
        `${path}: ${name} has no effect here, as Node reads it before this program starts. Set it in the environment: systemctl edit plimsoll.`,
      )
    if (environment[name]) continue
    environment[name] = value
    origins.set(name, path)
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const failure = error instanceof Error ? Object.assign(error, { path }) : error
    throw new ConfigError(`${NAME}: ${describeFileFailure(failure) ?? String(error)}`)
  }
}
