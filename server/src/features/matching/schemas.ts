import { Type } from 'typebox'
import { OneOf } from '../../platform/http/schemas.ts'
import { defineMessage } from '../../platform/jobs/queue.ts'
import { CONFIDENCES } from './evidence.ts'

export const Confidence = OneOf('Confidence', CONFIDENCES)

/** The service runs with newer rules than some packages were matched by. */
export const MatchRulesChanged = defineMessage('findings.match-rules-changed', Type.Object({}))

export const matchingMessages = [MatchRulesChanged]
