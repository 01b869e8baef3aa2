/** OpenSSL: letters after the third number until 1.1.1, numbers alone since 3.0 (https://openssl-library.org/policies/releasestrat/). */
import { normaliseVersion } from './normalise.ts'
import {
  compareNumberLists,
  compareNumbers,
  compareText,
  splitNumbers,
  orderBy,
  stripZeros,
} from './ordering.ts'

interface OpensslVersion {
  numbers: string[]
  letters: string
  /** Position among the stages before a release. */
  stage: number
  stageNumber: string
}

/** Any other suffix names a build (`-fips`, `+quic`), not a release. */
const SYNTAX = /^(\d+(?:\.\d+)*)([a-z]*)(?:-(dev|alpha|beta|pre|rc)(\d*))?(?=$|[-+_~.\s])/i
const STAGES = ['dev', 'alpha', 'beta', 'pre', 'rc']

export const openssl = orderBy(parse, compare)

function parse(text: string): OpensslVersion | undefined {
  const match = SYNTAX.exec(normaliseVersion(text))
  if (match === null) return undefined
  const [, numbers = '', letters = '', stage, stageNumber = ''] = match
  return {
    numbers: splitNumbers(numbers),
    letters: letters.toLowerCase(),
    stage: stage === undefined ? STAGES.length : STAGES.indexOf(stage.toLowerCase()),
    stageNumber: stripZeros(stageNumber),
  }
}

/** `za` follows `z`: more letters are later. */
function compare(a: OpensslVersion, b: OpensslVersion): number {
  return (
    compareNumberLists(a.numbers, b.numbers) ||
    a.letters.length - b.letters.length ||
    compareText(a.letters, b.letters) ||
    a.stage - b.stage ||
    compareNumbers(a.stageNumber, b.stageNumber)
  )
}
