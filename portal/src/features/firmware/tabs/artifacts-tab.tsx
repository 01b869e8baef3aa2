/** The files that devices install of this version, where they are found, and what is stated about them. */
import type { FirmwareVersion } from '@plimsoll/api-client'
import { AddressesPanel } from '../../../components/artifacts/addresses-panel.tsx'
import { FilesPanel } from '../../../components/artifacts/files-panel.tsx'
import { SignaturesPanel } from '../../../components/artifacts/signatures-panel.tsx'
import { StatementsPanel } from '../../../components/artifacts/statements-panel.tsx'
import { WhoDidWhat } from '../../../components/audit/who-did-what.tsx'

export default function ArtifactsTab({ version }: { version: FirmwareVersion }) {
  return (
    <>
      <FilesPanel version={version} />
      <SignaturesPanel version={version} />
      <StatementsPanel version={version} />
      <AddressesPanel version={version} />
      <WhoDidWhat subject={`firmware-version:${version.id}`} />
    </>
  )
}
