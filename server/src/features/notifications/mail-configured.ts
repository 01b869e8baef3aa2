import type { AppContext } from '../../platform/context.ts'

export function isMailConfigured({ mailer }: Pick<AppContext, 'mailer'>): boolean {
  return mailer !== undefined
}
