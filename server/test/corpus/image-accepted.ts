/**
 * The accepted run over the labels of images: `images-accepted.txt` has a line for each image and kind of answer with the ids of
 * its labels, so that the labels themselves stay where they are.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { canTell, isActive, type JudgedLabel } from './image-outcome.ts'

const ACCEPTED = join(import.meta.dirname, 'images-accepted.txt')

/**
 * `right`: a true match that is active; `right-low`: one that is not. `wrong`: a false match that is active and
 * that records could have prevented.
 */
type Answer = 'right' | 'right-low' | 'wrong'

export interface Changes {
  /** True matches that are gone, or no longer active although a record of the package's own registry or release says affected. */
  lost: JudgedLabel[]
  /** New false matches that are active. */
  wrong: JudgedLabel[]
  gained: JudgedLabel[]
  mended: JudgedLabel[]
}

function answerOf(label: JudgedLabel): Answer | undefined {
  if (label.confidence === undefined) return undefined
  if (label.isAffected) return isActive(label) ? 'right' : 'right-low'
  return isActive(label) && canTell(label) ? 'wrong' : undefined
}

export function changesOf(labels: readonly JudgedLabel[]): Changes {
  const accepted = readAccepted()
  const compared = labels.map((label) => ({
    label,
    before: accepted.get(label.id),
    now: answerOf(label),
  }))
  const of = (is: (change: (typeof compared)[number]) => boolean) =>
    compared.filter(is).map(({ label }) => label)
  return {
    lost: of(
      ({ label, before, now }) =>
        (before === 'right' && now !== 'right' && (now === undefined || label.teller === 'own')) ||
        (before === 'right-low' && now === undefined),
    ),
    wrong: of(({ before, now }) => now === 'wrong' && before !== 'wrong'),
    gained: of(({ before, now }) => now !== undefined && now !== 'wrong' && before === undefined),
    mended: of(({ before, now }) => before === 'wrong' && now !== 'wrong'),
  }
}

function readAccepted(): Map<string, string> {
  const text = existsSync(ACCEPTED) ? readFileSync(ACCEPTED, 'utf8') : ''
  return new Map(
    text.split('\n').flatMap((line) => {
      const [, answer = '', ...ids] = line.split(' ')
      return ids.map((id) => [id, answer] as const)
    }),
  )
}

export function writeAccepted(labels: readonly JudgedLabel[]): void {
  const answered = labels.filter((label) => answerOf(label) !== undefined)
  const lines = Map.groupBy(answered, (label) => `${label.package.image.name} ${answerOf(label)}`)
  const text = [...lines]
    .map(([line, of]) => [line, ...of.map(({ id }) => id).toSorted()].join(' '))
    .toSorted()
  writeFileSync(ACCEPTED, `${text.join('\n')}\n`)
}
