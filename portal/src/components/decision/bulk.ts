/** One decision for many findings. */
import type { BulkFindingFilter } from '@plimsoll/api-client'
import { api } from '../../api.ts'
import { formatCountOf } from '../../format/counts.ts'
import { createUuid } from '../../keyed-fetch.ts'
import type { Tell } from '../acts.ts'
import type { Assess, Assessment } from './assessments.ts'
import { followRun, tellOfRun } from './runs.ts'
import type { Terms } from './terms.ts'

export type BulkTarget = { findingIds: string[] } | { filter: BulkFindingFilter; alsoFuture?: true }

/** How far a decision can hold. */
export interface BulkReach {
  text: string
  targets: readonly BulkTarget[]
  /** The same findings in fewer requests, for the count before. */
  counted?: readonly BulkTarget[]
}

export type BulkDecision = { assess: Assess } | { ignored: boolean; acceptance?: Terms }

export interface BulkPreview {
  matched: number
  /** How many findings stay open, as a condition of the acceptance is met already. */
  endedAtOnce: number
  assessments: { assessment: Assessment; count: number }[]
}

/**
 * How many findings the targets have now, by what they are assessed as. Without terms it asks as if they were ignored no more, which no
 * workspace demands reasons for.
 */
export async function readPreview(
  workspaceId: string,
  targets: readonly BulkTarget[],
  acceptance?: Terms,
): Promise<BulkPreview> {
  const asked = acceptance ? { ignored: true, acceptance } : { ignored: false }
  const answers = await inTurn(targets, (target) =>
    api.post('/workspaces/{workspaceId}/vulnerability-findings/bulk-ignore', {
      params: { workspaceId },
      body: { ...target, ...asked, dryRun: true },
    }),
  )
  const counts = new Map<Assessment, number>()
  for (const { assessment, count } of answers.flatMap(({ assessments }) => assessments))
    counts.set(assessment, (counts.get(assessment) ?? 0) + count)
  return {
    matched: answers.reduce((sum, { matched }) => sum + matched, 0),
    endedAtOnce: answers.reduce((sum, answer) => sum + (answer.endedAtOnce ?? 0), 0),
    assessments: [...counts].map(([assessment, count]) => ({ assessment, count })),
  }
}

/** A target with the id that its decision is to have, and how many findings a person has read that it is about. */
export interface PlannedTarget {
  target: BulkTarget
  decisionBatchId: string
  expectedMatched?: number
}

/** Planned once: what is tried again has the same ids, so nothing is decided twice. What a filter selects may change meanwhile. */
export function planTargets(
  targets: readonly BulkTarget[],
  countRead: number | undefined,
): PlannedTarget[] {
  const [first] = targets
  const isOneFilter = first !== undefined && targets.length === 1 && 'filter' in first
  return targets.map((target) => ({
    target,
    decisionBatchId: createUuid(),
    ...(isOneFilter && countRead !== undefined && { expectedMatched: countRead }),
  }))
}

/**
 * Answers with the ids of what was decided, to take it back. Each target is decided as a whole; an error leaves the later ones as
 * they were.
 */
export async function decideMany(
  workspaceId: string,
  { targets, decision }: { targets: readonly PlannedTarget[]; decision: BulkDecision },
  tell: Tell,
): Promise<string[]> {
  const params = { workspaceId }
  const ids = await inTurn(targets, async ({ target, ...planned }) => {
    const body = { ...target, ...planned }
    const { decisionBatchId } = planned
    return followRun({ workspaceId, id: decisionBatchId, tell }, async () => {
      const answer = await ('assess' in decision
        ? api.post('/workspaces/{workspaceId}/vulnerability-findings/bulk-assess', {
            params,
            body: { ...body, ...decision.assess },
          })
        : api.post('/workspaces/{workspaceId}/vulnerability-findings/bulk-ignore', {
            params,
            body: { ...body, ...decision },
          }))
      return answer.decisionBatchId === undefined ? [] : [decisionBatchId]
    })
  })
  return ids.flat()
}

/** Newest first. Answers with what stayed, in words: findings that somebody has decided since. */
export async function undoDecisions(
  workspaceId: string,
  decisionBatchIds: readonly string[],
  tell: Tell = () => undefined,
): Promise<string | undefined> {
  const answers = await inTurn(decisionBatchIds.toReversed(), async (decisionBatchId) =>
    tellOfRun({ workspaceId, id: decisionBatchId, tell }, async () =>
      api.post('/workspaces/{workspaceId}/decision-batches/{decisionBatchId}/undo', {
        params: { workspaceId, decisionBatchId },
        body: {},
      }),
    ),
  )
  const left = answers.reduce((sum, answer) => sum + answer.left, 0)
  if (left === 0) return undefined
  const [first] = answers.flatMap(({ leftFindings }) => leftFindings)
  const named = first
    ? ` (${first.cveId} in ${first.firmwareVersionName}${left > 1 ? ', …' : ''})`
    : ''
  return `${formatCountOf(left, 'finding')} stayed, decided since${named}.`
}

async function inTurn<Item, Answer>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const item of items) answers.push(await ask(item))
  return answers
}
