import { Type } from 'typebox'
import { defineMessage } from '../../platform/jobs/queue.ts'

/** The service runs with newer rules than some packages were matched by. */
export const MatchRulesChanged = defineMessage('findings.match-rules-changed', Type.Object({}))

export const matchingMessages = [MatchRulesChanged]
