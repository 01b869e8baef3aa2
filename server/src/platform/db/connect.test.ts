import { expect, it } from 'vitest'
import { AppError } from '../errors.ts'
import { refusingReferenced, refusingTaken } from './connect.ts'

const failing = (fields: object) => () =>
  Promise.reject(Object.assign(new Error('refused'), fields))
const naming = (name: string) => new AppError('conflict', 'taken', name)

it.each`
  name
  ${'firmware_versions_build_id'}
  ${'firmware_versions_build_id_102088'}
`('names a violated key or table without its shard: $name', async ({ name }: { name: string }) => {
  const unique = failing({ code: '23505', constraint: name })
  const referenced = failing({ code: '23503', table: name })

  await expect(refusingTaken(naming, unique)).rejects.toThrow(/^firmware_versions_build_id$/)
  await expect(refusingReferenced(naming, referenced)).rejects.toThrow(
    /^firmware_versions_build_id$/,
  )
})
