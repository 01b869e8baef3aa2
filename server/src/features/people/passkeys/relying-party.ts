/** Whether and for whom browsers make passkeys. */
import { isIP } from 'node:net'
import type { AppContext } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'

/** Browsers take passkeys for names only, not for addresses, and over TLS only, but for this machine. */
export function takesPasskeys({ publicUrl, people }: AppContext['config']): boolean {
  const { protocol, hostname } = new URL(publicUrl)
  const isSecure = protocol === 'https:' || hostname === 'localhost'
  return people.signsInByPasskey && isSecure && isIP(hostname.replaceAll(/^\[|\]$/g, '')) === 0
}

/** The relying party: the host of the public URL. */
export function describeRelyingParty({ config }: AppContext) {
  if (!takesPasskeys(config))
    throw new AppError(
      'forbidden',
      'passkeys-off',
      'This service takes no passkeys: they are switched off, or its public URL is neither https nor a name.',
    )
  const { hostname, origin } = new URL(config.publicUrl)
  return { rpID: hostname, origin }
}
