/** A page of the application's own: `/console/_own/stock-report`. */
import { findModule } from '../api/console-facts.ts'
import { t } from '../words/words.ts'
import { Mounted, ownContext } from './mounted.tsx'

export function OwnPage({ name }: { readonly name: string }) {
  const module = findModule(`pages/${name}`)
  if (!module) return <p>{t('notFound')}</p>
  return (
    <>
      <h1>{module.label}</h1>
      <Mounted module={module} context={ownContext} />
    </>
  )
}
