import { expect, it } from 'vitest'
import { AppError } from '../errors.ts'
import { refuseReferenced, refuseTaken } from './failures.ts'

const failing =
  (fields: object, message = 'refused') =>
  () =>
    Promise.reject(Object.assign(new Error(message), fields))
const naming = (name: string) => new AppError('conflict', 'taken', name)

it.each`
  name
  ${'firmware_versions_build_id'}
  ${'firmware_versions_build_id_102088'}
`('names a violated key or table without its shard: $name', async ({ name }: { name: string }) => {
  const unique = failing({ code: '23505', constraint: name })
  const referenced = failing({ code: '23503', table: name })

  await expect(refuseTaken(naming, unique)).rejects.toThrow(/^firmware_versions_build_id$/)
  await expect(refuseReferenced(naming, referenced)).rejects.toThrow(/^firmware_versions_build_id$/)
})

it('finds the name in the message of another node, which is all that Citus passes on', async () => {
  const unique = failing(
    { code: '23505', constraint: undefined },
    'duplicate key value violates unique constraint "firmware_versions_build_id_102088"',
  )
  const referenced = failing(
    { code: '23503', table: undefined },
    'update or delete on table "firmwares_102080" violates foreign key constraint "deployments_firmware_id_fkey_102300" on table "deployments_102300"',
  )

  await expect(refuseTaken(naming, unique)).rejects.toThrow(/^firmware_versions_build_id$/)
  await expect(refuseReferenced(naming, referenced)).rejects.toThrow(/^deployments$/)
})
