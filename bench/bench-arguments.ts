/** Reads the arguments of the benchmarks. A wrong argument prints the usage and ends the program before it measures anything. */
import { basename } from 'node:path'
import { existsSync, statSync } from 'node:fs'

export interface Argument<Value> {
  hint: string
  isOptional: boolean
  /** Throws an error with a reason for people when the argument is wrong. */
  read: (text: string | undefined) => Value
}

/** A whole number from 1 on. */
export function countArgument(byDefault: number): Argument<number> {
  return {
    hint: `a whole number, ${byDefault} by default`,
    isOptional: true,
    read: (text) => {
      if (text === undefined) return byDefault
      const value = Number(text)
      if (!Number.isSafeInteger(value) || value < 1) throw new Error('is not a whole number from 1')
      return value
    },
  }
}

function checkFolder(text: string): string {
  if (existsSync(text) && !statSync(text).isDirectory()) throw new Error('is not a folder')
  if (/^-|^\d+$/.test(text)) throw new Error('is not the name of a folder')
  return text
}

/** A folder; the benchmark creates a missing one. */
export function declareFolder(): Argument<string> {
  return {
    hint: 'a folder; a missing one is created',
    isOptional: false,
    read: (text) => {
      if (text === undefined) throw new Error('is missing')
      return checkFolder(text)
    },
  }
}

/** A folder that may be left out. */
export function declareOptionalFolder(): Argument<string | undefined> {
  return {
    hint: 'a folder, a temporary one by default',
    isOptional: true,
    read: (text) => (text === undefined ? undefined : checkFolder(text)),
  }
}

/** A text that what is measured has in its name; without it all is measured. */
export function declareOnly(): Argument<string | undefined> {
  return {
    hint: 'a part of the names of what is measured, all by default',
    isOptional: true,
    read: (text) => text,
  }
}

/** A file or folder that exists, or nothing. */
export function declareOptionalPath(): Argument<string | undefined> {
  return {
    hint: 'an existing file or folder',
    isOptional: true,
    read: (text) => {
      if (text !== undefined && !existsSync(text)) throw new Error('does not exist')
      return text
    },
  }
}

type Values<Spec> = {
  [Name in keyof Spec]: Spec[Name] extends Argument<infer Value> ? Value : never
}

/** The arguments of the program in the order of `spec`; prints its usage and exits with 2 when they do not fit. */
export function readBenchArguments<Spec extends Record<string, Argument<unknown>>>(
  spec: Spec,
): Values<Spec> {
  const names = Object.keys(spec)
  const texts = process.argv.slice(2)
  const faults = texts.slice(names.length).map((text) => `${text}: unexpected argument`)
  const values = Object.entries(spec).map(([name, argument], index) => {
    const text = texts[index]
    try {
      return [name, argument.read(text)] as const
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      faults.push(text === undefined ? `${name} ${reason}` : `${name}: ${text} ${reason}`)
      return [name, undefined] as const
    }
  })
  if (faults.length > 0) endWithUsage(spec, faults)
  return Object.fromEntries(values) as Values<Spec>
}

function endWithUsage(spec: Record<string, Argument<unknown>>, faults: readonly string[]): never {
  const names = Object.entries(spec).map(([name, { isOptional }]) =>
    isOptional ? `[${name}]` : name,
  )
  const hints = Object.entries(spec).map(([name, { hint }]) => `  ${name}: ${hint}`)
  const program = `node bench/${basename(process.argv[1] ?? '')}`
  console.error([...faults, `Usage: ${[program, ...names].join(' ')}`, ...hints].join('\n'))
  process.exit(2)
}
