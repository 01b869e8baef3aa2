import type { ProblemPages } from '../../platform/errors.ts'

export const deviceIssuerProblems: ProblemPages = {
  'device-issuer-not-found': {
    title: 'No such issuer of device certificates',
    advice: 'GET …/device-issuers lists those that the workspace trusts.',
  },
  'device-issuer-of-other-workspace': {
    title: 'Another workspace trusts this issuer',
    advice:
      'A key issues certificates for one workspace alone, so that a certificate never fits two. Let an intermediate authority with a key of its own issue for this workspace, or remove the issuer from the other one.',
  },
  'device-issuer-exists': {
    title: 'The workspace trusts an issuer with this key already',
    advice: 'Remove it first if its certificate was renewed with the same key.',
  },
  'too-many-device-issuers': {
    title: 'The workspace trusts as many issuers as it may',
    advice: 'Remove those whose certificates no device has any more.',
  },
  'revocation-list-outdated': {
    title: 'A newer revocation list is known',
    advice: 'Upload the newest list of the authority. An older one would forget revocations.',
  },
  'device-certificate-refused': {
    title: 'The certificate lets no device in',
    advice:
      'The detail says why. The workspace has to trust the authority that issued the certificate, and the id in it has to be the one that the device states (docs/guide/device-certificates.md).',
  },
}
