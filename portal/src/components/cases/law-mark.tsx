/** Keeps apart what the law says and what is good practice, by a mark with words. */
import { Tag } from '../tag.tsx'
import css from './law.module.css'

/** Names the article, or the part of an annex, and quotes nothing. */
export function Law({ article }: { article: string }) {
  const isAnnex = article.startsWith('Annex')
  const name = isAnnex ? article : `Article ${article}`
  return (
    <span className={css['mark']} title={`${name} of Regulation (EU) 2024/2847`}>
      <Tag tone="accent">law</Tag> {isAnnex ? article : `Art. ${article}`}
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
