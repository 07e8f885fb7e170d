/** The permission matrix: resources and operations by role, with each rule in words. */
import type { ResourceSummary } from 'bindery-server/client'
import { namesInLanguage } from '../api/declarations.ts'
import type { Word } from '../words/en.ts'
import { t } from '../words/words.ts'
import { FactsPage, FactsTable, useFacts } from './facts.tsx'

type Extent = 'all' | 'some' | 'none'
type Operation = { name: string; rule: string; result?: string; extents: Readonly<Record<string, Extent>> }
type Matrix = {
  readonly roles: readonly string[]
  readonly resources: readonly (Pick<ResourceSummary, 'slug' | 'label' | 'labels' | 'plural' | 'plurals'> & {
    readonly operations: readonly Operation[]
  })[]
}
const words = { all: 'extentAll', some: 'extentSome', none: 'extentNone' } as const satisfies Record<Extent, Word>

/** Names between backticks are code, as in documents. */
function Rule({ text }: { readonly text: string }) {
  const parts = text.split('`').map((part, at) => ({ key: `${at} ${part}`, part, isCode: at % 2 === 1 }))
  return parts.map(({ key, part, isCode }) => (isCode ? <code key={key}>{part}</code> : part))
}

export function RolesPage() {
  const facts = useFacts<Matrix>('roles')
  return (
    <FactsPage title={t('roles')} facts={facts}>
      {({ roles, resources }) =>
        resources.map(namesInLanguage).map(({ slug, plural, operations }) => (
          <section key={slug}>
            <h2>{plural}</h2>
            <FactsTable
              label={plural}
              heads={[t('operation'), ...roles, t('rule')]}
              rows={operations.map(({ name, rule, result, extents }) => ({
                key: name,
                cells: [
                  name,
                  ...roles.map((role) => {
                    const extent = extents[role] ?? 'none'
                    return (
                      <span key={role} className={`extent-${extent}`}>
                        {t(words[extent])}
                      </span>
                    )
                  }),
                  <Rule
                    key="rule"
                    text={result === undefined ? rule : `${rule}; ${t('ruleResult', { rule: result })}`}
                  />,
                ],
              }))}
            />
          </section>
        ))
      }
    </FactsPage>
  )
}
