/** Authorities that a workspace trusts to issue certificates of devices; people alone may add them, not keys. */
import { createDeviceIssuer } from '../src/features/device-issuers/service.ts'
import type { TestApp } from './app.ts'
import type { TestAuthority } from './given-certificates.ts'
import type { Client } from './given.ts'

const TESTER = { type: 'Operator', id: undefined, email: undefined, requestId: undefined } as const

/** Answers its id. */
export async function givenDeviceIssuer(
  { ctx }: Pick<TestApp, 'ctx'>,
  { workspaceId }: Client,
  { name, authority }: { name: string; authority: TestAuthority },
): Promise<string> {
  const { id } = await createDeviceIssuer(ctx, {
    workspaceId,
    name,
    certificate: authority.pem,
    proof: authority.issue(`plimsoll-issuer-${workspaceId}`).pem,
    actor: TESTER,
  })
  return id
}
