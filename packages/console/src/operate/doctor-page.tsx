/** The findings of the doctor with their remedies, the worst first. */
import { t } from '../words/words.ts'
import { FactsPage, FactsTable, useFacts } from './facts.tsx'

type Finding = { level: 'ok' | 'warn' | 'bad'; check: string; where: string; what: string; todo?: string }
const order = ['bad', 'warn', 'ok']

export function DoctorPage() {
  const facts = useFacts<{ readonly findings: readonly Finding[] }>('findings')
  return (
    <FactsPage title={t('doctor')} facts={facts}>
      {({ findings }) => (
        <FactsTable
          label={t('doctor')}
          heads={[t('level'), t('check'), t('finding'), t('remedy')]}
          rows={findings
            .toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
            .map(({ level, check, where, what, todo }, at) => ({
              key: `${at} ${check} ${where}`,
              cells: [
                <strong key="level" className={`level-${level}`}>
                  {level}
                </strong>,
                check,
                `${where}: ${what}`,
                todo ?? '–',
              ],
            }))}
        />
      )}
    </FactsPage>
  )
}
