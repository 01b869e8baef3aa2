/** The proof that whoever adds an authority holds its key: a certificate that it issued for a name of the workspace. */
import { type X509Certificate } from 'node:crypto'
import { isIssuedBy, listCommonNames } from '../../formats/x509/certificate.ts'

/** The common name that the proof has. It names the workspace, so that a proof that others saw is of no use to them. */
export function nameProof(workspaceId: string): string {
  return `plimsoll-issuer-${workspaceId.toLowerCase()}`
}

/** Why it proves nothing; undefined: it does. When the certificate ends does not matter: its signature was made. */
export function findProofFault(
  proof: X509Certificate,
  { workspaceId, issuer }: { workspaceId: string; issuer: X509Certificate },
): string | undefined {
  const names = listCommonNames(proof)
  const asked = nameProof(workspaceId)
  if (names.length !== 1 || names[0] !== asked)
    return `its common name has to be ${asked}, and is ${names.join(', ') || 'missing'}`
  return isIssuedBy(proof, issuer) ? undefined : 'the key of the issuer did not sign it'
}
