/** Keeps apart what the law says and what is good practice, by a mark with words. */
import { Tag } from '../tag.tsx'
import css from './law.module.css'

/** Names the article and quotes nothing. */
export function Law({ article }: { article: string }) {
  return (
    <span className={css['mark']} title={`Article ${article} of Regulation (EU) 2024/2847`}>
      <Tag tone="accent">law</Tag> Art. {article}
    </span>
  )
}

export function GoodPractice() {
  return (
    <span className={css['mark']} title="Not law">
      <Tag>good practice</Tag>
    </span>
  )
}

/** At the foot of each page that speaks of the law. */
export function NoAdvice() {
  return (
    <p className={css['advice']}>
      Articles are those of Regulation (EU) 2024/2847. Plimsoll names them and does not quote them;
      it gives no legal advice, sends nothing to an authority, and does not decide what is to be
      reported.
    </p>
  )
}
