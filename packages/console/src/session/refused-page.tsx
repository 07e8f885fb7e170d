/** For a person who has logged in, and whom the console does not admit. */
import { t } from '../words/words.ts'

export function RefusedPage({ person, onLogOut }: { readonly person: string; onLogOut(): void }) {
  return (
    <main className="log-in">
      <h1>{t('refused')}</h1>
      <p>{t('refusedHow', { person })}</p>
      <button type="button" className="main" onClick={onLogOut}>
        {t('logOut')}
      </button>
    </main>
  )
}
