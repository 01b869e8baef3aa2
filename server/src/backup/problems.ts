import { AppError } from '../platform/errors.ts'
import { PROGRAMS } from '../platform/programs.ts'

export function damaged(name: string, how: string): AppError {
  return new AppError(
    'invalid',
    'backup-damaged',
    `The backup is damaged: ${name} ${how}. Use another one; ${PROGRAMS.admin} backup list shows them.`,
  )
}

export function noBackup(detail: string): AppError {
  return new AppError('notFound', 'backup-not-found', detail)
}

export function refused(detail: string): AppError {
  return new AppError('conflict', 'backup-refused', detail)
}
