/** Release lines as a form holds them, and what changing them does, in words. */
import type { FirmwareLines, FirmwareLinesPreview } from '@plimsoll/api-client'
import { formatCountOf } from '../../../format/counts.ts'
import { createUuid } from '../../../keyed-fetch.ts'

export interface LineDraft {
  /** Stays when the line is renamed or moved. */
  key: string
  /** undefined: a new one. */
  id: string | undefined
  name: string
  /** One a line. */
  patterns: string
  /** Empty: none. */
  supportEndsOn: string
  /** null: as the workspace says. */
  releaseGate: Line['releaseGate']
  gateSupport: Line['gateSupport']
}

type Line = FirmwareLines['lines'][number]

export const NEW_LINE = (): LineDraft => ({
  key: createUuid(),
  id: undefined,
  name: '',
  patterns: '',
  supportEndsOn: '',
  releaseGate: null,
  gateSupport: null,
})

export const readDrafts = ({ lines }: FirmwareLines): LineDraft[] =>
  lines.map(({ id, name, patterns, supportEndsOn, releaseGate, gateSupport }) => ({
    key: id,
    id,
    name,
    patterns: patterns.join('\n'),
    supportEndsOn: supportEndsOn ?? '',
    releaseGate,
    gateSupport,
  }))

export const writeLines = (drafts: readonly LineDraft[]) =>
  drafts.map(({ id, name, patterns, supportEndsOn, releaseGate, gateSupport }) => ({
    ...(id !== undefined && { id }),
    name: name.trim(),
    patterns: patterns
      .split('\n')
      .map((pattern) => pattern.trim())
      .filter((pattern) => pattern !== ''),
    supportEndsOn: supportEndsOn === '' ? null : supportEndsOn,
    releaseGate,
    gateSupport,
  }))

/** What held before, to be stated again: lines that have gone since are new ones. */
export function restoreLines(before: FirmwareLines, now: FirmwareLines) {
  const known = new Set(now.lines.map(({ id }) => id))
  return writeLines(
    readDrafts(before).map((draft) =>
      draft.id !== undefined && known.has(draft.id) ? draft : { ...draft, id: undefined },
    ),
  )
}

/** "2 of 3 versions move to another line. 2.x LTS: 2 versions, newest 2.5. Without a line: 1 version." */
export function describeLinesChange(preview: FirmwareLinesPreview): string {
  const { movedCount, versionCount, matchedTwiceCount, lines, withoutLine } = preview
  const { refusedLines, endedDecisionCount } = preview
  const verb = movedCount === 1 ? 'moves' : 'move'
  return [
    `${movedCount} of ${formatCountOf(versionCount, 'version')} ${verb} to another line.`,
    ...lines.map(({ name, versionCount: count, newest }) => {
      const named = newest === null ? '' : `, newest ${newest.name}`
      return `${name}: ${formatCountOf(count, 'version')}${named}.`
    }),
    `Without a line: ${formatCountOf(withoutLine.versionCount, 'version')}.`,
    ...(matchedTwiceCount > 0
      ? [
          `${formatCountOf(matchedTwiceCount, 'version')} matched by several lines: the first takes them.`,
        ]
      : []),
    ...(endedDecisionCount > 0
      ? [
          `${formatCountOf(endedDecisionCount, 'standing decision')} ${endedDecisionCount === 1 ? 'ends' : 'end'}, also if you take this back.`,
        ]
      : []),
    ...refusedLines.map(
      ({ name, statedCount }) =>
        `${name} cannot go: ${formatCountOf(statedCount, 'version')} stated to belong to it.`,
    ),
  ].join(' ')
}
