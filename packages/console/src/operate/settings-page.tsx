/** The settings as they are: names, values and where they come from; a secret is set or not. */
import { t } from '../words/words.ts'
import { FactsPage, FactsTable, useFacts } from './facts.tsx'

type Setting = {
  name: string
  group: string
  about: string
  source: 'set' | 'default'
  value: string | null
  isSecret?: true
}

function shownValue({ value, isSecret, source }: Setting): string {
  if (isSecret) return source === 'set' ? t('secretSet') : '–'
  return value ?? '–'
}

export function SettingsPage() {
  const facts = useFacts<{ readonly settings: readonly Setting[] }>('settings')
  return (
    <FactsPage title={t('settings')} facts={facts}>
      {({ settings }) => (
        <FactsTable
          label={t('settings')}
          heads={[t('name'), t('value'), t('source'), t('about')]}
          rows={settings.map((one) => ({
            key: one.name,
            cells: [
              <code key="name">{one.name}</code>,
              shownValue(one),
              one.source === 'set' ? t('sourceSet') : t('sourceDefault'),
              one.about,
            ],
          }))}
        />
      )}
    </FactsPage>
  )
}
