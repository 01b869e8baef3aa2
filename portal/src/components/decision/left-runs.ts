/** Decisions that one left while they were under way are acts again when one comes back. */
import type { DecisionRun } from '@plimsoll/api-client'
import { formatCountOf } from '../../format/counts.ts'
import type { Acts } from '../acts.ts'
import { describeAssessment } from './assessments.ts'
import { undoDecisions } from './bulk.ts'
import { listMyRuns, waitForRun } from './runs.ts'

/** The stopped runs that people were already told of. */
const TOLD = 'plimsoll.told-runs'

export async function takeUpRuns(
  workspaceId: string,
  perform: Acts['perform'],
  readAgain: () => void,
): Promise<void> {
  const told = new Set((localStorage.getItem(TOLD) ?? '').split(' '))
  for (const run of await listMyRuns(workspaceId)) {
    const isTold = run.state === 'Stopped' && told.has(run.id)
    if (isTold) continue
    if (run.state === 'Stopped') localStorage.setItem(TOLD, [...told.add(run.id)].join(' '))
    void perform({
      text: describeRun(run),
      isDecision: true,
      send: async (tell) => {
        const { id, isUndo } = run
        const isDone = await waitForRun({ workspaceId, id, tell })
        readAgain()
        if (!isDone) throw new Error(STOPPED)
        return isUndo
          ? undefined
          : async (tellBack) => {
              const rest = await undoDecisions(workspaceId, [id], tellBack)
              readAgain()
              return rest
            }
      },
    })
  }
}

const STOPPED =
  'It ended in the middle, perhaps as the service was stopped. Nothing was changed; decide again.'

function describeRun({ isUndo, act, assessment, findingCount }: DecisionRun): string {
  const findings = findingCount === null ? 'Findings' : formatCountOf(findingCount, 'finding')
  const what = assessment === null ? WORDS[act] : describeAssessment(assessment)
  return `${isUndo ? 'Take back ' : ''}${findings}: ${what}`
}

const WORDS: Record<DecisionRun['act'], string> = {
  Assess: 'assessed',
  Ignore: 'Ignored',
  Unignore: 'No longer ignored',
  Repeat: 'Decided again as before',
  Renew: 'Accepted for longer',
  HandOver: 'Handed over',
}
