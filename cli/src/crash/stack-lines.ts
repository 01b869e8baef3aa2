/** A stack as text, the innermost function first, as debuggers print it. */
import type { CrashReport, SourceLine } from '../../../api-client/src/index.ts'
import { findMax } from '../largest.ts'

type Frame = CrashReport['frames'][number]

const KINDS = {
  ProgramCounter: 'pc',
  LinkRegister: 'lr',
  ReturnAddress: '',
} as const satisfies Record<Frame['kind'], string>

export function listStackLines({ frames, notResolved }: CrashReport): string[] {
  if (frames.length === 0) return ['  The device told no address.']
  const width = findMax(frames.map(({ address }) => address.length))
  const lines = frames.flatMap(({ kind, address, lookup, lines: known }) => {
    const head = `  ${address.padEnd(width)}  ${KINDS[kind].padEnd(2)}  `
    if (lookup === null) return [`${head}outside of the image`]
    if (known === null) return [`${head}no lines yet`]
    if (known.length === 0) return [`${head}not in the debug information`]
    return known.map((line, at) => {
      const before = at === 0 ? head : ' '.repeat(head.length)
      return `${before}${describeLine(line)}${at < known.length - 1 ? ', inlined into' : ''}`
    })
  })
  return notResolved === null
    ? lines
    : [...lines, `  ${notResolved}: plimsoll crash resolve --elf FILE looks them up`]
}

function describeLine({ function: name, file, line }: SourceLine): string {
  const place = file === null ? '' : ` at ${file}${line === null ? '' : `:${line}`}`
  return `${name ?? '?'}${place}`
}
