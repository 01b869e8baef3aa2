/** Who looks after a vulnerability, and what colleagues say to each other about it. */
import { Type } from 'typebox'
import { Exactly, Nullable, PageRequest, Shape, Timestamp } from '../../platform/http/schemas.ts'
import { defineMessage } from '../../platform/jobs/queue.ts'

export const Colleague = Shape('Colleague', {
  subjectId: Type.String({ description: 'Of the member' }),
  email: Type.String(),
  displayName: Type.String(),
})

const AssigneeSchema = Nullable(Colleague, {
  description: 'The member who looks after the vulnerability, wherever it is; null: nobody',
})

const MOST_ASSIGNEES = 100

/** In filters of findings. */
export const assigneeFilterFields = {
  assigneeIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: MOST_ASSIGNEES,
      description:
        'Ids of members (`subjectId`) of whom one looks after the vulnerability now. Also for a past instant',
    }),
  ),
  assigned: Type.Optional(
    Type.Boolean({ description: 'Whether any member looks after the vulnerability now' }),
  ),
}

/** In rows of lists. */
export const discussionFields = {
  assignee: AssigneeSchema,
  commentCount: Type.Integer({ description: 'Comments of colleagues about the vulnerability' }),
}

export const Assignment = Shape('Assignment', {
  cveId: Type.String(),
  assignee: AssigneeSchema,
  assignedAt: Nullable(Timestamp),
  assignedByEmail: Nullable(Type.String()),
})

const SubjectId = Nullable(Type.String({ format: 'uuid' }), {
  description: 'The member who looks after it from now on; null: nobody',
})

export const AssignCommand = Exactly(
  { subjectId: SubjectId },
  { examples: [{ subjectId: '0198c0de-0000-7000-8000-000000000001' }] },
)

const SubjectIdNow = Nullable(Type.String({ format: 'uuid' }), {
  description: 'Only those that this member looks after now; null: those that nobody does',
})

/** The fields of the command that assigns many. */
export const assignFields = {
  subjectId: SubjectId,
  onlySubjectId: Type.Optional(SubjectIdNow),
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'Return what would change, without changing it' }),
  ),
}

export const AssignedVulnerabilities = Shape('AssignedVulnerabilities', {
  matched: Type.Integer({ description: 'Number of selected vulnerabilities' }),
  changed: Type.Integer({ description: 'Of these, how many somebody else looks after now' }),
  replaced: Type.Array(
    Shape('ReplacedAssignee', {
      assignee: AssigneeSchema,
      cveIds: Type.Array(Type.String(), { description: 'Changed ones that this member had' }),
    }),
    {
      description:
        'Who had them before. Giving each back with `onlySubjectId` takes the command back, but for those that were given on since',
    },
  ),
})

export const Comment = Shape('Comment', {
  id: Type.String(),
  cveId: Type.String(),
  text: Type.String(),
  createdAt: Timestamp,
  editedAt: Nullable(Timestamp),
  authorType: Type.Enum(['User', 'ApiKey']),
  authorEmail: Nullable(Type.String({ description: 'Of the person, or of whoever made the key' })),
  authorName: Nullable(Type.String({ description: 'null: no member any more, or a key' })),
  isYours: Type.Boolean({ description: 'Whoever asks wrote it, and may change it' }),
  mentions: Type.Array(Colleague, {
    description: 'Members that the text names: `@` before their address',
  }),
})

export const CommentPage = Shape('CommentPage', {
  comments: Type.Array(Comment),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

const MOST_CHARACTERS = 10_000
export const CommentCommand = Exactly(
  { text: Type.String({ minLength: 1, maxLength: MOST_CHARACTERS, pattern: '\\S' }) },
  { examples: [{ text: '@grace@example.com does the bootloader call this at all?' }] },
)

export const ListCommentsQuery = Exactly(PageRequest)

/** Tells a member by mail that a colleague named them in a comment. */
export const MentionToSend = defineMessage(
  'mention-mail',
  Type.Object({ workspaceId: Type.String(), personId: Type.String(), commentId: Type.String() }),
)

/** Tells a member by mail what a colleague gave them to look after. */
export const AssignmentToSend = defineMessage(
  'assignment-mail',
  Type.Object({
    workspaceId: Type.String(),
    personId: Type.String(),
    byEmail: Nullable(Type.String()),
    vulnerabilityIds: Type.Array(Type.String()),
    count: Type.Integer(),
  }),
)
