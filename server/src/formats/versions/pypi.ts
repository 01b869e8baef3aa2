/**
 * PEP 440 (https://packaging.python.org/en/latest/specifications/version-specifiers/). Versions
 * that it calls legacy have no order.
 */
import {
  compareLists,
  compareNumberLists,
  compareNumbers,
  compareText,
  splitNumbers,
  orderBy,
  stripZeros,
} from './ordering.ts'

interface PypiVersion {
  epoch: string
  release: string[]
  /** 0: a development release without pre-release; 1–3: a, b and rc; 4: no pre-release. */
  stage: number
  stageNumber: string
  post: string | undefined
  dev: string | undefined
  local: string[]
}

const SYNTAX =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?$/

const STAGES: Record<string, number> = {
  a: 1,
  alpha: 1,
  b: 2,
  beta: 2,
  c: 3,
  rc: 3,
  pre: 3,
  preview: 3,
}
const DEVELOPMENT = 0
const FINAL = 4

export const pypi = orderBy(parse, compare)

function parse(text: string): PypiVersion | undefined {
  const match = SYNTAX.exec(text.trim().toLowerCase())
  if (match === null) return undefined
  const [, epoch = '', release = '', word = '', stageNumber = ''] = match
  const [implicitPost, postWord, postNumber, devWord, devNumber, local] = match.slice(5)
  const post = implicitPost ?? numberAfter(postWord, postNumber)
  const dev = numberAfter(devWord, devNumber)
  return {
    epoch: stripZeros(epoch),
    release: splitNumbers(release),
    stage: word === '' ? stageOfNone(post, dev) : (STAGES[word] ?? FINAL),
    stageNumber: stripZeros(stageNumber),
    post: post && stripZeros(post),
    dev: dev && stripZeros(dev),
    local: localParts(local),
  }
}

function stageOfNone(post: string | undefined, dev: string | undefined): number {
  return post === undefined && dev !== undefined ? DEVELOPMENT : FINAL
}

/** `dev` is `dev0`. */
function numberAfter(word: string | undefined, number: string | undefined): string | undefined {
  return word === undefined ? undefined : number || '0'
}

function localParts(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(/[-_.]/).map(localPart)
}

function localPart(text: string): string {
  return /^\d+$/.test(text) ? stripZeros(text) : text
}

function compare(a: PypiVersion, b: PypiVersion): number {
  return (
    compareNumbers(a.epoch, b.epoch) ||
    compareNumberLists(a.release, b.release) ||
    a.stage - b.stage ||
    compareNumbers(a.stageNumber, b.stageNumber) ||
    compareOptional(a.post, b.post, -1) ||
    compareOptional(a.dev, b.dev, 1) ||
    compareLists(a.local, b.local, compareLocalParts)
  )
}

/** A missing number counts as -1 (before every other) or as 1 (after). */
function compareOptional(a: string | undefined, b: string | undefined, missing: -1 | 1): number {
  if (a === undefined) return b === undefined ? 0 : missing
  return b === undefined ? -missing : compareNumbers(a, b)
}

/** Numbers come after words. */
function compareLocalParts(a: string, b: string): number {
  const isNumber = /^\d+$/
  const numbers = Number(isNumber.test(a)) - Number(isNumber.test(b))
  if (numbers !== 0) return numbers
  return isNumber.test(a) ? compareNumbers(a, b) : compareText(a, b)
}
