/** Linux kernel releases: `v6.6-rc1`, `2.6.32.71`, `6.12.38-yocto-standard`; the local version does not count. */
import {
  compareNumberLists,
  compareNumbers,
  splitNumbers,
  orderBy,
  stripZeros,
} from './ordering.ts'

interface KernelVersion {
  numbers: string[]
  /** Position among the stages before a release. */
  stage: number
  stageNumber: string
}

const SYNTAX = /^(?:linux-)?v?(\d+(?:\.\d+)*)(?:-?(test|pre|rc)(\d+))?(?=$|[-+_~.\s])/i
const STAGES = ['test', 'pre', 'rc']

export const kernel = orderBy(parse, compare)

function parse(text: string): KernelVersion | undefined {
  const match = SYNTAX.exec(text.trim())
  if (match === null) return undefined
  const [, numbers = '', stage, stageNumber = ''] = match
  return {
    numbers: splitNumbers(numbers),
    stage: stage === undefined ? STAGES.length : STAGES.indexOf(stage.toLowerCase()),
    stageNumber: stripZeros(stageNumber),
  }
}

function compare(a: KernelVersion, b: KernelVersion): number {
  return (
    compareNumberLists(a.numbers, b.numbers) ||
    a.stage - b.stage ||
    compareNumbers(a.stageNumber, b.stageNumber)
  )
}
