import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import * as concerned from './concerned-service.ts'
import { CaseParams, DECIDE, describeAct, PATH, WRITE } from './acts-routes.ts'
import * as schemas from './concerned-schemas.ts'

/** What a case is about. */
export function registerConcerned(app: App, ctx: AppContext): void {
  app.post(
    `${PATH}/product-lines`,
    {
      config: WRITE,
      schema: {
        ...describeAct(
          'addCaseProductLines',
          'Add product lines of the same manufacturer to a case',
          schemas.AddLinesCommand,
        ),
        params: CaseParams,
      },
    },
    ({ params, body, principal: { actor } }) =>
      concerned.addProductLines(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/product-lines/remove`,
    {
      config: DECIDE,
      schema: {
        ...describeAct(
          'removeCaseProductLine',
          'Remove a product line from a case, with a reason; it stays out',
          schemas.RemoveLineCommand,
        ),
        params: CaseParams,
      },
    },
    ({ params, body, principal: { actor } }) =>
      concerned.removeProductLine(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/versions`,
    {
      config: WRITE,
      schema: {
        ...describeAct(
          'addCaseVersions',
          'Name firmware versions that a case is about, also without a finding',
          schemas.AddVersionsCommand,
        ),
        params: CaseParams,
      },
    },
    ({ params, body, principal: { actor } }) =>
      concerned.addNamedVersions(ctx, { ...params, ...body, actor }),
  )
}
