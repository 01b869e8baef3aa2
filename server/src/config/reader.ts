/** Reads the environment for the settings files of this folder. */
import { readFileSync } from 'node:fs'
import { describeFileFailure } from '../platform/file-failure.ts'

export type Environment = Record<string, string | undefined>

/**
 * Of what starts the programs, of the command-line client and its examples, of tests and benchmarks; and what Kubernetes sets in every container for a
 * service with the name plimsoll.
 */
const OTHERS =
  /^PLIMSOLL_(?:ENV_FILE|NODE|URL|API_KEY|WORKSPACE|DEVICE(?:_KEY)?|TEST_.*|BENCH_.*|CORPUS_.*|REQUIRE_.*|COLLECT_QUERIES|SERVICE_(?:HOST|PORT.*)|PORT_\d+_(?:TCP|UDP).*)$/

export interface ReadSetting {
  name: string
  /** Secrets are hidden: their length tells whether all of them was read. */
  value: string
  /** The file that `NAME_FILE` names; undefined: the variable itself holds the value. */
  file: string | undefined
}

const SECRET = /KEY|SECRET|PASSWORD|TOKEN|CREDENTIAL/

function showValue(name: string, text: string): string {
  if (SECRET.test(name)) return `hidden, ${text.length} characters`
  const [first = '', ...more] = text.split('\n')
  return more.length > 0 ? `${first} … (${more.length + 1} lines)` : hidePasswords(first)
}

/** In URLs: before the host, and among the parameters. */
function hidePasswords(text: string): string {
  return text
    .replaceAll(/(:\/\/[^:@/\s]*):[^@\s]*@/g, '$1:…@')
    .replaceAll(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&\s]*/gi, '$1…')
}

/** Reads `NAME`, or else the file that `NAME_FILE` names, or else the default. Collects the faults, so that all are reported together. */
export class SettingsReader {
  readonly faults: string[] = []
  /** The names that were asked for so far. */
  readonly known = new Set<string>()
  /** What they are where nobody sets them, as far as this reader gives it. */
  readonly fallbacks = new Map<string, string>()
  private readonly env: Environment
  private readonly defaults: Environment

  constructor(env: Environment, defaults: Environment) {
    this.env = env
    this.defaults = defaults
  }

  text(name: string): string | undefined {
    this.known.add(name)
    const value = this.env[name]
    const file = this.env[`${name}_FILE`]
    if (value !== undefined && value !== '') {
      if (file) this.faults.push(`${name} and ${name}_FILE are both set; set one of them.`)
      return value
    }
    if (!file) return this.defaults[name]
    try {
      return readFileSync(file, 'utf8').trimEnd()
    } catch (error) {
      // A failed read of a folder does not say where.
      const failure = error instanceof Error ? Object.assign(error, { path: file }) : error
      this.faults.push(`${name}_FILE: ${describeFileFailure(failure) ?? String(error)}`)
      return undefined
    }
  }

  /** The path of the file that holds the value, if one does. */
  fileOf(name: string): string | undefined {
    return this.env[name] ? undefined : this.env[`${name}_FILE`] || undefined
  }

  /** What was asked for and is set, as it was understood. */
  listRead(): ReadSetting[] {
    return [...this.known].toSorted().flatMap((name) => {
      const value = this.env[name] || undefined
      const file = value === undefined ? this.fileOf(name) : undefined
      const text = value ?? (file === undefined ? undefined : this.text(name))
      return text === undefined ? [] : [{ name, value: showValue(name, text), file }]
    })
  }

  /** The variables of the service that are set, but that nobody asked for. To be called when everything is read. */
  unknownNames(): string[] {
    return Object.keys(this.env).filter((name) => {
      const isSet = name.startsWith('PLIMSOLL_') && this.env[name] !== ''
      return isSet && !this.known.has(name.replace(/_FILE$/, '')) && !OTHERS.test(name)
    })
  }

  integer(name: string, fallback: number, range: { min: number; max: number }): number {
    this.fallbacks.set(name, String(fallback))
    const text = this.text(name)
    if (text === undefined) return fallback
    const value = Number(text)
    if (Number.isInteger(value) && value >= range.min && value <= range.max) return value
    this.faults.push(
      `${name} is ${JSON.stringify(text)}; it must be a whole number from ${range.min} to ${range.max}.`,
    )
    return fallback
  }

  /** `on` or `off`. */
  flag(name: string, fallback: boolean): boolean {
    this.fallbacks.set(name, fallback ? 'on' : 'off')
    const text = this.text(name)
    if (text === undefined) return fallback
    if (text !== 'on' && text !== 'off') this.faults.push(`${name} must be on or off.`)
    return text === 'on'
  }

  url(name: string, protocols: readonly string[]): string | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const url = URL.parse(text)
    if (url && protocols.includes(url.protocol)) return text.replace(/\/+$/, '')
    this.faults.push(`${name} is not a URL of the form ${protocols.join(' or ')}//….`)
    return undefined
  }

  /** Values separated by commas; empty ones are left out. */
  list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  }
}
