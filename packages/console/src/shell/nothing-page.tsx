/** For an address without a page. */
import { t } from '../words/words.ts'
import { PlaceLink } from './menu.tsx'

export function NothingPage() {
  return (
    <section className="empty">
      <h1>{t('notFound')}</h1>
      <p>
        <PlaceLink parts={[]} label={t('toStart')} isHere={false} />
      </p>
    </section>
  )
}
