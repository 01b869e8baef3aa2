import type { AppContext } from '../../platform/context.ts'

export function isMailConfigured(ctx: AppContext): boolean {
  return 'mailer' in ctx && ctx.mailer !== undefined
}
