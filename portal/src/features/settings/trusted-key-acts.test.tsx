import type { TrustedKey, TrustedKeyProofs } from '@plimsoll/api-client'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { givenService } from '../../../test/answering-service.ts'
import { showInWorkspace } from '../../../test/components.tsx'
import { DeleteKey } from './trusted-key-acts.tsx'

const PROOFS = 'GET /workspaces/one/trusted-keys/release/proofs'
const FOUND: TrustedKeyProofs = {
  versionCount: 1_204,
  versions: [{ id: 'a', name: '2.4.1', firmwareName: 'Gateway' }],
  imageCount: 1_200,
  statementCount: 1,
  sbomCount: 0,
  uncheckedCount: 2,
}

async function ask(proofs: TrustedKeyProofs | undefined) {
  givenService(proofs ? { [PROOFS]: proofs } : {})
  const key: Pick<TrustedKey, 'id' | 'name'> = { id: 'release', name: 'Release key' }
  const { person } = await showInWorkspace(<DeleteKey trustedKeyId={key.id} name={key.name} />)
  await person.click(screen.getByRole('button', { name: 'Delete Release key' }))
  return screen.findByRole('dialog', { name: 'Trust Release key no more?' })
}

it('names the versions that lose their proof, by true counts, before a key is deleted', async () => {
  const dialog = await ask(FOUND)

  await screen.findByText(
    '1,204 versions lose their proof, as this key alone verifies 1,200 update files, 1 statement:',
  )
  expect(dialog.textContent).toContain('Gateway 2.4.1')
  expect(dialog.textContent).toContain('and 1,203 more')
  expect(dialog.textContent).toContain('2 files are still being checked')
})

it('says that no version does, where all files have another trusted signature', async () => {
  await ask({ ...FOUND, versionCount: 0, versions: [], imageCount: 0, uncheckedCount: 0 })

  await screen.findByText('No version loses its proof: no file is verified by it alone.')
})

it('says that it could not be read, and takes silence for no answer', async () => {
  await ask(undefined)

  await screen.findByText(/^Which versions lose their proof could not be read:/)
})
