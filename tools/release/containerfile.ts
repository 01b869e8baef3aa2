/** What the Containerfile says of the image. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from './paths.ts'

export interface Instruction {
  name: string
  text: string
}

/** The texts of its stages, each from its FROM. */
export function readStages(): string[] {
  const text = readFileSync(join(REPOSITORY, 'Containerfile'), 'utf8')
  return text.split(/^(?=FROM )/m).slice(1)
}

export function parseStage(text: string): Instruction[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
  return lines.flatMap((line) => {
    const [, name, rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [{ name, text: rest.trim() }]
  })
}
