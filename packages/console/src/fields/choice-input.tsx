/** One of a few values. Yes and no are such a choice too, with a third where there may be none. */
import { t } from '../words/words.ts'
import { attributesOf, type ControlProps } from './control.ts'
import { choicesOf } from './typed-value.ts'

export function ChoiceInput(props: ControlProps) {
  const { field, value, onChange } = props
  const chosen = String(value ?? '')
  return (
    <select {...attributesOf(props)} value={chosen} onChange={(event) => onChange(event.target.value || null)}>
      {(field.nullable || chosen === '') && <option value="">{t('noValue')}</option>}
      {choicesOf(field).map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  )
}

export function BooleanInput(props: ControlProps) {
  const { field, value, onChange } = props
  const chosen = typeof value === 'boolean' ? String(value) : ''
  const values: Readonly<Record<string, boolean>> = { true: true, false: false }
  return (
    <select {...attributesOf(props)} value={chosen} onChange={(event) => onChange(values[event.target.value] ?? null)}>
      {(field.nullable || chosen === '') && <option value="">{t('noValue')}</option>}
      <option value="true">{t('yes')}</option>
      <option value="false">{t('no')}</option>
    </select>
  )
}
