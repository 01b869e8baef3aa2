import { Type } from 'typebox'
import { Timestamp } from '../../../platform/http/schemas.ts'

/** For the description only: the list is read as it arrives. */
export const SourceFilesBody = {
  content: {
    'text/plain': { schema: Type.String({ examples: ['net/core/dev.c\nfs/ext4/inode.c'] }) },
  },
}

export const SourceFilesReplaced = Type.Object({
  componentId: Type.String(),
  fileCount: Type.Integer({ description: 'Source files, each counted once' }),
  ignoredCount: Type.Integer({
    description: 'Lines that name no file a compiler makes an object of: headers, make files',
  }),
  uploadedAt: Timestamp,
})

export const SourceFilesText = Type.String({ description: 'One path a line' })
