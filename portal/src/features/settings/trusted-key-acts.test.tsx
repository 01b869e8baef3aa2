import type { TrustedKey, TrustedKeyProofs } from '@plimsoll/api-client'
import { screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { givenService } from '../../../test/answering-service.ts'
import { showInWorkspace } from '../../../test/components.tsx'
import { ActsContext, useSentActs } from '../../components/acts.ts'
import { DeleteKey, RenameKey } from './trusted-key-acts.tsx'

const PROOFS = 'GET /workspaces/one/trusted-keys/release/proofs'
const FOUND: TrustedKeyProofs = {
  versionCount: 1_204,
  versions: [{ id: 'a', name: '2.4.1', firmwareName: 'Gateway' }],
  imageCount: 1_200,
  statementCount: 1,
  sbomCount: 0,
  gateVersionCount: 1_200,
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
  expect(dialog.textContent).toContain('1,200 versions do not meet it then.')
  expect(dialog.textContent).toContain('2 files are still being checked')
})

it('says that no version does, where all files have another trusted signature', async () => {
  await ask({
    ...FOUND,
    versionCount: 0,
    versions: [],
    imageCount: 0,
    gateVersionCount: 0,
    uncheckedCount: 0,
  })

  await screen.findByText('No version loses its proof: no file is verified by it alone.')
})

it('says that it could not be read, and takes silence for no answer', async () => {
  await ask(undefined)

  await screen.findByText(/^Which versions lose their proof could not be read:/)
})

const RELEASE: TrustedKey = {
  id: 'release',
  name: 'Release key',
  purpose: 'Release builds',
  kind: 'PublicKey',
  pem: '-----BEGIN PUBLIC KEY-----',
  fingerprint: 'a'.repeat(64),
  algorithm: 'Ed25519',
  minisignKeyId: null,
  subject: null,
  beginsAt: null,
  endsAt: null,
  testKey: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  createdByEmail: 'ann@example.com',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

it('renames a key by what was changed alone, so that others keep what they changed', async () => {
  const { sent } = givenService({
    'GET /workspaces/one/trusted-keys/release': RELEASE,
    'PATCH /workspaces/one/trusted-keys/release': { ...RELEASE, name: 'Release key 2027' },
  })
  const { person } = await showInWorkspace(<Acting />)
  await person.click(screen.getByRole('button', { name: 'Rename Release key' }))

  const name = await screen.findByRole('textbox', { name: 'Name' })
  await person.type(name, ' 2027')
  await person.click(screen.getByRole('button', { name: 'Save name' }))

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(sent).toEqual([
    { call: 'PATCH /workspaces/one/trusted-keys/release', body: { name: 'Release key 2027' } },
  ])
})

function Acting() {
  return (
    <ActsContext value={useSentActs()}>
      <RenameKey trustedKey={RELEASE} />
    </ActsContext>
  )
}
