import { AppError } from '../../../platform/errors.ts'

export const uploadNotFound = () =>
  new AppError(
    'notFound',
    'artifact-upload-not-found',
    'There is no such upload: it is complete, has expired, or was replaced by another. Start again.',
  )
