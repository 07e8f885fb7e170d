/** Yes or no, and a third choice where there may be no value. */
import { t } from '../../words/words.ts'
import { attributesOf, type ControlProps } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'

const values: Readonly<Record<string, boolean>> = { true: true, false: false }

function BooleanInput(props: ControlProps) {
  const { field, value, onChange } = props
  const chosen = typeof value === 'boolean' ? String(value) : ''
  return (
    <select {...attributesOf(props)} value={chosen} onChange={(event) => onChange(values[event.target.value] ?? null)}>
      {(field.nullable || chosen === '') && <option value="">{t('noValue')}</option>}
      <option value="true">{t('yes')}</option>
      <option value="false">{t('no')}</option>
    </select>
  )
}

export const booleanKind: FieldKind<boolean> = {
  Input: BooleanInput,
  line: {
    input: 'choice',
    options: () => [
      { value: 'true', label: t('yes') },
      { value: 'false', label: t('no') },
    ],
    read: (typed) => values[typed.toLowerCase()] ?? typed,
  },
  width: 96,
  cell: (value) => t(value ? 'yes' : 'no'),
  sample: (_, i) => i % 2 === 0,
}
