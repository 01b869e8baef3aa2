/** What the routes of cases have in common. */
import type { TObject } from 'typebox'
import { defineProblems, defineWorkspaceParams } from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'

export const tags = ['Cases']
export const CaseParams = defineWorkspaceParams('caseId')
export const PATH = '/cases/:caseId'
/** Starting a clock is safe, stopping one is not. */
export const WRITE = { scope: 'Cases: write' } as const
export const DECIDE = { scope: 'Cases: decide' } as const

/** All acts answer the case as it is afterwards. */
export const describeAct = <Body extends TObject>(
  operationId: string,
  summary: string,
  body: Body,
) => ({
  operationId,
  summary,
  tags,
  body,
  response: { 200: schemas.Case, ...defineProblems(400, 404, 409) },
})
