/** What the page of an identity provider answered, in words. The slugs are those of the service's redirect. */
const ERRORS: Record<string, string> = {
  'unknown-provider': 'This identity provider is not set up here.',
  'provider-unavailable':
    'The identity provider cannot be reached. Try again, or use another way in.',
  'provider-refused': 'The identity provider did not sign you in.',
  'email-not-verified':
    'The identity provider has not verified your e-mail address, so it cannot be trusted here.',
  'other-account-linked':
    'Another account of this identity provider is linked to the person with your address. Sign in with that one, or ask the operator to unlink it.',
  'no-account': 'Nobody has invited this address. Ask an owner of your workspace.',
  'sign-in-expired': 'Signing in took too long. Try again.',
}

export function signInErrorText(slug: string | undefined): string | undefined {
  if (slug === undefined) return undefined
  return (
    ERRORS[slug] ??
    'Signing in through the identity provider failed. Try again, or ask the operator to look at the log.'
  )
}
