/** A comment as people read it: names in place of addresses, and links that lead somewhere. */
import type { Comment } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { useWorkspaceId } from '../../session.ts'
import { findVulnerabilityPage } from '../addresses.ts'
import css from './discussion.module.css'

/** Addresses of the web, ids of CVEs, and mentions. */
const PARTS =
  /(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)]|\bCVE-\d{4}-\d{4,}\b|(?<![\w.@+-])@[\w.+'-]+@[\w-]+(?:\.[\w-]+)*)/g

export function CommentText({ comment: { text, mentions } }: { comment: Comment }) {
  const workspaceId = useWorkspaceId()
  const names = new Map(mentions.map(({ email, displayName }) => [email, displayName]))
  const show = (part: string): ReactNode => {
    if (part.startsWith('http'))
      return (
        <a href={part} rel="noreferrer noopener" target="_blank">
          {part}
        </a>
      )
    if (part.startsWith('CVE-'))
      return <Link {...findVulnerabilityPage(workspaceId, part)}>{part}</Link>
    const name = names.get(part.slice(1).toLowerCase())
    return name === undefined ? part : <strong title={part.slice(1)}>@{name}</strong>
  }
  return (
    <p className={css['text']}>
      {text.split(PARTS).map((part, place) => (
        // eslint-disable-next-line react/no-array-index-key -- parts of a text that changes as a whole
        <Fragment key={place}>{place % 2 === 1 ? show(part) : part}</Fragment>
      ))}
    </p>
  )
}
