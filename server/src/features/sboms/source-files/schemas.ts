import { Type } from 'typebox'
import { Timestamp } from '../../../platform/http/schemas.ts'

/** For the API description only: the list is read as a stream. */
export const SourceFilesBody = {
  content: {
    'text/plain': { schema: Type.String({ examples: ['net/core/dev.c\nfs/ext4/inode.c'] }) },
  },
}

export const SourceFilesReplaced = Type.Object({
  componentId: Type.String(),
  fileCount: Type.Integer({ description: 'Number of different source files' }),
  ignoredCount: Type.Integer({
    description: 'Lines that do not name a compiled file: headers, make files',
  }),
  uploadedAt: Timestamp,
})

export const SourceFilesText = Type.String({ description: 'One path per line' })
